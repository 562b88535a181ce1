// The windows of a timeline: fetched a little larger than what is in sight, kept, and found again.

import type { WindowQuery } from "../../api/timeline";
import type { Picture } from "../../model/timeline/picture";
import { spanOf, type View } from "../../model/timeline/view";

/** A question goes out so long after the view began to change; a newer one calls it off. */
const DELAY_MS = 70;
const RETRY_MS = 1500;
const MOST_KEPT = 24;
/** So much is fetched on both sides of the view, as a share of it. */
const MARGIN = 0.5;
/** A picture at most so much coarser, or finer, than asked for does for now. */
const COARSER = 1.3;
const FINER = 0.25;
const MOST_PIXELS = 16_000;

interface Kept {
  asked: View;
  /** µs a pixel, as asked for. */
  pixel_us: number;
  picture: Picture;
}

interface Flight {
  asked: View;
  pixel_us: number;
  calledOff: AbortController;
}

function isFitting(it: { asked: View; pixel_us: number }, inside: View, pixel_us: number): boolean {
  return (
    it.asked.from <= inside.from &&
    it.asked.to >= inside.to &&
    it.pixel_us <= pixel_us * COARSER &&
    it.pixel_us >= pixel_us * FINER
  );
}

export type FetchPicture = (query: WindowQuery, signal: AbortSignal) => Promise<Picture | null>;

export class Pictures {
  overview: Picture | null = null;
  problem: string | null = null;
  private kept: Kept[] = [];
  private timer: number | undefined;
  private flight: Flight | null = null;
  private readonly first = new AbortController();
  private wanted: { view: View; width: number } | null = null;

  constructor(
    private readonly fetchPicture: FetchPicture,
    private readonly whole: View,
    private readonly changed: () => void,
  ) {}

  /** The picture to draw now: one that fits, else one that shows most of the view, else the whole recording. */
  best(view: View, width: number): Picture | null {
    const found = this.fitting(view, width) ?? this.nearest(view);
    return found?.picture ?? this.overview;
  }

  /** Fetches the whole recording, for the minimap and as what is shown until more is known. */
  async begin(width: number): Promise<void> {
    await this.get({ asked: this.whole, pixel_us: spanOf(this.whole) / width, calledOff: this.first });
    this.changed();
  }

  /** Sees to it that a picture comes that fits the view. */
  want(view: View, width: number): void {
    this.wanted = { view, width };
    if (this.fitting(view, width) || this.timer !== undefined) return;
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.ask();
    }, DELAY_MS);
  }

  dispose(): void {
    window.clearTimeout(this.timer);
    this.flight?.calledOff.abort();
    this.first.abort();
  }

  private cut(view: View): View {
    return { from: Math.max(view.from, this.whole.from), to: Math.min(view.to, this.whole.to) };
  }

  private fitting(view: View, width: number): Kept | null {
    const pixel_us = spanOf(view) / width;
    const inside = this.cut(view);
    const found = this.kept.filter((kept) => isFitting(kept, inside, pixel_us));
    return found.reduce<Kept | null>(
      (best, each) => (best === null || each.pixel_us > best.pixel_us ? each : best),
      null,
    );
  }

  /** The newest picture that shows most of the view. */
  private nearest(view: View): Kept | null {
    const share = ({ asked }: Kept): number =>
      (Math.min(asked.to, view.to) - Math.max(asked.from, view.from)) / spanOf(view);
    return this.kept.find((each) => share(each) > 0.6) ?? null;
  }

  private async ask(): Promise<void> {
    if (!this.wanted) return;
    const { view, width } = this.wanted;
    const pixel_us = spanOf(view) / width;
    if (this.fitting(view, width) || this.isComing(view, pixel_us)) return;
    this.flight?.calledOff.abort();
    const room = spanOf(view) * MARGIN;
    const asked = this.cut({ from: view.from - room, to: view.to + room });
    const flight = { asked, pixel_us, calledOff: new AbortController() };
    this.flight = flight;
    await this.get(flight);
    if (this.flight === flight) this.flight = null;
    this.changed();
  }

  private isComing(view: View, pixel_us: number): boolean {
    const flight = this.flight;
    return flight !== null && isFitting(flight, this.cut(view), pixel_us);
  }

  private async get({ asked, pixel_us, calledOff }: Flight): Promise<void> {
    const query = {
      from_ns: Math.floor(asked.from * 1000),
      to_ns: Math.ceil(asked.to * 1000) + 1,
      pixels: Math.min(MOST_PIXELS, Math.max(1, Math.ceil(spanOf(asked) / pixel_us))),
    };
    try {
      const picture = await this.fetchPicture(query, calledOff.signal);
      if (calledOff.signal.aborted) return;
      this.problem = null;
      if (picture) this.keep({ asked, pixel_us, picture });
      else this.again();
    } catch (error) {
      if (calledOff.signal.aborted) return;
      this.problem = (error as Error).message;
      this.again();
    }
  }

  private again(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.ask();
    }, RETRY_MS);
  }

  private keep(kept: Kept): void {
    this.kept = [kept, ...this.kept].slice(0, MOST_KEPT);
    if (kept.asked.from <= this.whole.from && kept.asked.to >= this.whole.to) this.overview = kept.picture;
  }
}
