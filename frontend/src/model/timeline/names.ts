// Names of events, short enough to be read in a rectangle.

const PREFIXES = [
  /^nn\.Module: /,
  /^autograd::engine::evaluate_function: /,
  /^(?:void|bool|int|float) +/,
  /^(?:(?:[\w~]+|\(anonymous namespace\)|<unnamed>)::)+(?=[\w~])/,
] as const;
const PATH = /^(?:.*\/)?([^/]+\.py\(\d+\): .+)$/s;

/** The name without the fronts that most names share, and without the folders of a source line. */
export function shortName(name: string): string {
  const path = PATH.exec(name);
  if (path) return path[1] ?? name;
  let short = name;
  for (const prefix of PREFIXES) short = short.replace(prefix, "");
  return short === "" ? name : short;
}

export type Measure = (text: string) => number;

const ELLIPSIS = "…";
/** With fewer letters a name says nothing. */
const LEAST = 2;

/** As much of a text as has room, an ellipsis where it is cut; null where hardly anything has. */
export function fitText(text: string, room: number, measure: Measure): string | null {
  const width = measure(text);
  if (width <= room) return text;
  const letters = [...text];
  let kept = Math.min(letters.length - 1, Math.floor((room / width) * letters.length));
  while (kept >= LEAST) {
    const cut = letters.slice(0, kept).join("").trimEnd() + ELLIPSIS;
    if (measure(cut) <= room) return cut;
    kept -= 1;
  }
  return null;
}

const KEPT = 4000;
const LONGEST = 120;

/** Fits names and remembers how wide texts are; `measure` asks the canvas. */
export class Labels {
  private readonly widths = new Map<string, number>();
  private readonly shorts = new Map<string, string>();

  constructor(private readonly ask: Measure) {}

  readonly measure = (text: string): number => {
    const known = this.widths.get(text);
    if (known !== undefined) return known;
    if (this.widths.size > KEPT) this.widths.clear();
    const width = this.ask(text);
    this.widths.set(text, width);
    return width;
  };

  fit(name: string, room: number): string | null {
    let short = this.shorts.get(name);
    if (short === undefined) {
      if (this.shorts.size > KEPT) this.shorts.clear();
      short = shortName(name).slice(0, LONGEST);
      this.shorts.set(name, short);
    }
    return fitText(short, room, this.measure);
  }
}
