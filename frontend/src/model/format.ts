// Numbers as text: three significant digits, a narrow no-break space before the unit. Halves go away from 0, as
// `toFixed` does it; the server's sentences (wording.py) do the same.

const THIN = "\u202f";
const TIME_UNITS = ["µs", "ms", "s"] as const;
const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A number and its unit, apart, for figures that show the unit smaller. */
export interface Figure {
  value: string;
  unit: string;
}

/** Whole numbers with thousands separators. */
export function count(value: number): string {
  return Number(value.toFixed(0)).toLocaleString("en-US");
}

/** Three significant digits, at most three decimals (a time is known to the nanosecond). */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95) return count(value);
  const decimals = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return value.toFixed(decimals);
}

function scaled(value: number, units: readonly string[]): Figure {
  let rest = value;
  let index = 0;
  while (Math.abs(rest) >= 999.5 && index < units.length - 1) {
    rest /= 1000;
    index += 1;
  }
  return { value: significant(rest).replace("-", "−"), unit: units[index] ?? "" };
}

export function timeFigure(us: number): Figure {
  return scaled(us, TIME_UNITS);
}

export function join(figure: Figure): string {
  return figure.unit === "" ? figure.value : figure.value + THIN + figure.unit;
}

export function time(us: number): string {
  return join(timeFigure(us));
}

export function bytes(value: number): string {
  const figure = scaled(value, BYTE_UNITS);
  return join(figure.unit === "B" ? { ...figure, value: count(value) } : figure);
}

export function percentFigure(share: number): Figure {
  return { value: significant(share * 100), unit: "%" };
}

/** The share of a whole in a table; empty where there is no whole to be a share of. */
export function shareOf(part: number, whole: number | null): string {
  if (whole === null || whole <= 0) return "";
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.05) return `<${THIN}0.1${THIN}%`;
  return percent.toFixed(percent > 0 && percent < 9.95 ? 1 : 0) + THIN + "%";
}

/** How long ago, in one unit. */
export function age(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 90) return `${s}${THIN}s ago`;
  if (s < 90 * 60) return `${Math.round(s / 60)}${THIN}min ago`;
  if (s < 36 * 3600) return `${Math.round(s / 3600)}${THIN}h ago`;
  return `${count(s / 86400)} days ago`;
}

/** Numbers as the ranges they form: `3–6, 9`. */
export function ranges(values: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last && value <= last[1] + 1) last[1] = value;
    else parts.push([value, value]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** A clause as a sentence: a capital at its start, a full stop at its end. */
export function sentence(clause: string): string {
  const end = /[.!?:]$/.test(clause) ? "" : ".";
  return clause.charAt(0).toUpperCase() + clause.slice(1) + end;
}

/** A count with its noun: `1 event`, `2,661 events`. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`;
}
