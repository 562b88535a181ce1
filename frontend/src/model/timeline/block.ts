// One window of a timeline as the server packs it: docs/http_api.md, `timeline/window`.

const MAGIC = 0x57584254;
const VERSION = 1;
const HEADER_BYTES = 56;
const NO_NAME = 0xffff;

/** The rectangles `first` to `end` stand on one row of one lane, by start. */
export interface Track {
  lane: number;
  row: number;
  first: number;
  end: number;
}

/** The intervals `first` to `end` are of one entry of the timeline's `shades`, by start. */
export interface ShadeRun {
  shade: number;
  first: number;
  end: number;
}

/** Times of rectangles and intervals are µs from `from_us`. `ref`: an event, or minus how many are merged. */
export interface Block {
  from_us: number;
  to_us: number;
  pixel_us: number;
  start: Float32Array;
  end: Float32Array;
  ref: Int32Array;
  category: Uint8Array;
  fill: Uint8Array;
  name: Uint16Array;
  names: readonly string[];
  tracks: readonly Track[];
  shadeStart: Float32Array;
  shadeEnd: Float32Array;
  shadeFill: Uint8Array;
  shades: readonly ShadeRun[];
}

/** The answer is not a block that this page can read. */
export class BadBlock extends Error {}

/** Takes arrays off a buffer, one after the other. */
class Taker {
  private at = HEADER_BYTES;

  constructor(private readonly buffer: ArrayBuffer) {}

  take<T>(make: new (buffer: ArrayBuffer, at: number, length: number) => T, size: number, length: number): T {
    const from = this.at;
    this.at += size * length;
    if (this.at > this.buffer.byteLength) throw new BadBlock("the window was cut off");
    return new make(this.buffer, from, length);
  }

  texts(lengths: Uint32Array): string[] {
    const decoder = new TextDecoder();
    return Array.from(lengths, (length) => decoder.decode(this.take(Uint8Array, 1, length)));
  }
}

/** Where runs of such lengths begin and end. */
function runs(counts: Uint32Array): [number, number][] {
  let end = 0;
  return Array.from(counts, (count) => [end, (end += count)]);
}

export function readBlock(buffer: ArrayBuffer): Block {
  if (buffer.byteLength < HEADER_BYTES) throw new BadBlock("the window was cut off");
  const [magic, version, tracks = 0, count = 0, shades = 0, intervals = 0, names = 0] = new Uint32Array(
    buffer,
    0,
    8,
  );
  if (magic !== MAGIC || version !== VERSION) throw new BadBlock("the window is of another version");
  const [from_us = 0, to_us = 0, pixel_us = 0] = new Float64Array(buffer, 32, 3);
  const taker = new Taker(buffer);
  const start = taker.take(Float32Array, 4, count);
  const end = taker.take(Float32Array, 4, count);
  const ref = taker.take(Int32Array, 4, count);
  const trackRuns = runs(taker.take(Uint32Array, 4, tracks));
  const shadeStart = taker.take(Float32Array, 4, intervals);
  const shadeEnd = taker.take(Float32Array, 4, intervals);
  const shadeRuns = runs(taker.take(Uint32Array, 4, shades));
  const lengths = taker.take(Uint32Array, 4, names);
  const name = taker.take(Uint16Array, 2, count);
  const lane = taker.take(Uint16Array, 2, tracks);
  const row = taker.take(Uint16Array, 2, tracks);
  const shade = taker.take(Uint16Array, 2, shades);
  const category = taker.take(Uint8Array, 1, count);
  const fill = taker.take(Uint8Array, 1, count);
  const shadeFill = taker.take(Uint8Array, 1, intervals);
  return {
    ...{ from_us, to_us, pixel_us, start, end, ref, category, fill, name, shadeStart, shadeEnd, shadeFill },
    tracks: trackRuns.map(([first, last], i) => ({ lane: lane[i]!, row: row[i]!, first, end: last })),
    shades: shadeRuns.map(([first, last], i) => ({ shade: shade[i]!, first, end: last })),
    names: taker.texts(lengths),
  };
}

/** The name of a rectangle; null where it stands for several events, or its name had no room. */
export function nameOf(block: Block, index: number): string | null {
  const at = block.name[index] ?? NO_NAME;
  return at === NO_NAME ? null : (block.names[at] ?? null);
}

/** Of the rectangles of a track the first that ends after a time; `at` counts from `from_us`. */
export function firstEndingAfter(block: Block, track: Track, at: number): number {
  let low = track.first;
  let high = track.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (block.end[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
