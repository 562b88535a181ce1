import { describe, expect, it } from "vitest";
import {
  around,
  between,
  clampView,
  moved,
  parseView,
  revealing,
  spanOf,
  wholeView,
  writeView,
  zoomed,
} from "../../../src/model/timeline/view";

const WHOLE = { from: -100, to: 1100 };

describe("a view", () => {
  it("has room on both sides of the whole recording", () => {
    expect(wholeView(0, 1000)).toEqual({ from: -30, to: 1030 });
  });

  it("stays within the whole, however far it is moved or zoomed out", () => {
    expect(clampView({ from: -500, to: -300 }, WHOLE)).toEqual({ from: -100, to: 100 });
    expect(moved({ from: 900, to: 1000 }, 5000, WHOLE)).toEqual({ from: 1000, to: 1100 });
    expect(zoomed({ from: 0, to: 1000 }, 500, 100, WHOLE)).toEqual(WHOLE);
  });

  it("keeps the time under the mouse where it is", () => {
    const view = zoomed({ from: 0, to: 1000 }, 250, 0.5, WHOLE);
    expect((250 - view.from) / spanOf(view)).toBeCloseTo(0.25);
    expect(spanOf(view)).toBeCloseTo(500);
  });

  it("is never shorter than what a time is known to", () => {
    let view = { from: 0, to: 1000 };
    for (let i = 0; i < 200; i += 1) view = zoomed(view, 400, 0.5, WHOLE);
    expect(spanOf(view)).toBeCloseTo(0.05);
    expect(view.from).toBeLessThanOrEqual(400);
    expect(view.to).toBeGreaterThanOrEqual(400);
  });

  it("survives the address", () => {
    for (const view of [
      { from: -200, to: 8000 },
      { from: 13900.125, to: 13900.25 },
    ])
      expect(parseView(writeView(view))).toEqual(view);
  });

  it.each(["", "abc", "5", "7,3", "1,1", "1,2,3", "0,1e999", "NaN,5"])("reads %j as none", (text) => {
    expect(parseView(text)).toBeNull();
  });

  it("shows an event with room around it", () => {
    expect(around(100, 200, 0.5, WHOLE)).toEqual({ from: 50, to: 250 });
  });

  it("does not move for an event that can be seen, goes to one that cannot, and closer to a tiny one", () => {
    const view = { from: 0, to: 100 };
    expect(revealing(view, 20, 10, WHOLE)).toBe(view);
    const away = revealing(view, 500, 10, WHOLE);
    expect(spanOf(away)).toBeCloseTo(100);
    expect(away.from).toBeLessThan(500);
    expect(away.to).toBeGreaterThan(510);
    const close = revealing(view, 20, 0.01, WHOLE);
    expect(spanOf(close)).toBeLessThan(1);
    expect(close.from).toBeLessThan(20);
  });

  it("moves evenly from one to another", () => {
    const [a, b] = [
      { from: 0, to: 1000 },
      { from: 400, to: 410 },
    ];
    expect(between(a, b, 0)).toEqual(a);
    expect(between(a, b, 1).from).toBeCloseTo(400);
    expect(spanOf(between(a, b, 0.5))).toBeCloseTo(100);
    expect(between(a, { from: 500, to: 1500 }, 0.5)).toEqual({ from: 250, to: 1250 });
  });
});
