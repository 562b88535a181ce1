// Where the points of a curve lie in a drawing, and what its axes say.

import { bytes, count, significant, time } from "./format";
import type { Curve } from "./sections/index";

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Drawing {
  paths: readonly { name: string; look: string; d: string }[];
  y: readonly { at: number; label: string }[];
  x: readonly { at: number; label: string }[];
  mark: { x: number; y: number; text: string } | null;
}

function unitText(unit: Curve["unit"], value: number): string {
  if (unit === "us") return time(value);
  return unit === "bytes" ? bytes(value) : Number.isInteger(value) ? count(value) : significant(value);
}

/** Round values from 0 to at least the largest. */
export function ticksTo(most: number, about: number, base = 10): number[] {
  if (most <= 0) return [0];
  const raw = most / about;
  const power = base ** Math.floor(Math.log(raw) / Math.log(base) + 1e-9);
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= raw * 0.999) ?? raw;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** The curve from 0 upwards; a missing point breaks its line. */
export function layoutCurve(curve: Curve, frame: Frame): Drawing {
  const values = curve.lines.flatMap((line) => line.y.filter((value) => value !== null));
  const yTicks = ticksTo(Math.max(...values, 0), 3);
  const top = Math.max(yTicks.at(-1) ?? 1, 1e-9);
  const [first, last] = curve.ends ?? [curve.x[0] ?? 0, curve.x.at(-1) ?? 1];
  const inner = frame.width - frame.left - frame.right;
  const tall = frame.height - frame.top - frame.bottom;
  const px = (x: number): number => frame.left + ((x - first) / Math.max(last - first, 1e-9)) * inner;
  const py = (y: number): number => frame.top + (1 - y / top) * tall;
  const paths = curve.lines.map(({ name, look, y }) => {
    let pen = "M";
    const d = curve.x.map((x, index) => {
      const value = y[index] ?? null;
      if (value === null) {
        pen = "M";
        return "";
      }
      const move = `${pen}${px(x).toFixed(1)} ${py(value).toFixed(1)}`;
      pen = "L";
      return move;
    });
    return { name, look, d: d.join("") };
  });
  const ends = curve.steps ? [first, last].map((x) => `step ${x}`) : [first, last].map((x) => time(x));
  return {
    paths,
    y: yTicks.map((value) => ({ at: py(value), label: unitText(curve.unit, value) })),
    x: [first, last].map((value, index) => ({ at: px(value), label: ends[index] ?? "" })),
    mark: curve.mark && { x: px(curve.mark.x), y: py(curve.mark.y), text: curve.mark.text },
  };
}
