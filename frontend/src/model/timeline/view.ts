// Which part of the timeline is in sight: a range in µs from the first step's start.

export interface View {
  from: number;
  to: number;
}

/** No range is shorter than this: a time is known to the nanosecond. */
const SHORTEST_US = 0.05;
/** So much empty room beside the whole recording, as a share of it. */
const ROOM = 0.03;

export const spanOf = (view: View): number => view.to - view.from;

/** The whole recording with a little room on both sides. */
export function wholeView(start_us: number, end_us: number): View {
  const room = Math.max(end_us - start_us, SHORTEST_US) * ROOM;
  return { from: start_us - room, to: end_us + room };
}

/** The view moved and cut so that it lies within the whole. */
export function clampView(view: View, whole: View): View {
  const span = Math.min(Math.max(spanOf(view), SHORTEST_US), spanOf(whole));
  const middle = (view.from + view.to) / 2;
  const from = Math.min(Math.max(middle - span / 2, whole.from), whole.to - span);
  return { from, to: from + span };
}

/** Zooms so that the span becomes `factor` times as long and the time `at_us` stays where it is. */
export function zoomed(view: View, at_us: number, factor: number, whole: View): View {
  const span = Math.min(Math.max(spanOf(view) * factor, SHORTEST_US), spanOf(whole));
  const real = span / spanOf(view);
  const from = at_us - (at_us - view.from) * real;
  return clampView({ from, to: from + span }, whole);
}

export function moved(view: View, by_us: number, whole: View): View {
  return clampView({ from: view.from + by_us, to: view.to + by_us }, whole);
}

/** A range with room on both sides, as a share of it. */
export function around(from_us: number, to_us: number, room: number, whole: View): View {
  const length = Math.max(to_us - from_us, SHORTEST_US / 2);
  return clampView({ from: from_us - room * length, to: to_us + room * length }, whole);
}

/**
 * Where to look so that an event can be seen: the same view where it is in sight and wide enough, the same
 * scale where it is only out of sight, else closer.
 */
export function revealing(view: View, start_us: number, duration_us: number, whole: View): View {
  const share = duration_us / spanOf(view);
  const end = start_us + duration_us;
  const seen = end > view.from && start_us < view.to;
  if (share > 0.004 && seen) return view;
  const middle = start_us + duration_us / 2;
  const span = share > 0.004 && share < 0.8 ? spanOf(view) : Math.max(duration_us * 14, SHORTEST_US);
  return clampView({ from: middle - span / 2, to: middle + span / 2 }, whole);
}

/** The range of an address, `from,to` in µs; null where it says none. */
export function parseView(text: string | null): View | null {
  const match = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return Number.isFinite(from) && to > from && to < 1e15 ? { from, to } : null;
}

/** With as many decimals as the view can tell apart. */
export function writeView(view: View): string {
  const decimals = Math.min(3, Math.max(0, 3 - Math.floor(Math.log10(spanOf(view)))));
  return `${Number(view.from.toFixed(decimals))},${Number(view.to.toFixed(decimals))}`;
}

/** Part of the way from one view to another; spans change by equal factors, so that zooming looks even. */
export function between(a: View, b: View, share: number): View {
  const [spanA, spanB] = [spanOf(a), spanOf(b)];
  const span = spanA * (spanB / spanA) ** share;
  const weight = spanA === spanB ? share : (span - spanA) / (spanB - spanA);
  const middle = ((a.from + a.to) / 2) * (1 - weight) + ((b.from + b.to) / 2) * weight;
  return { from: middle - span / 2, to: middle + span / 2 };
}
