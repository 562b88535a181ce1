import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Camera } from "../../../src/state/timeline/camera";

const WHOLE = { from: 0, to: 1000 };

function stillness(wanted: boolean): void {
  vi.stubGlobal("matchMedia", () => ({ matches: wanted }));
}

beforeEach(() => {
  vi.useFakeTimers();
  stillness(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the camera", () => {
  it("goes back to where each jump began", () => {
    const camera = new Camera({ from: 0, to: 100 }, WHOLE);
    camera.jump({ from: 400, to: 500 });
    camera.set({ from: 410, to: 510 });
    camera.jump({ from: 420, to: 430 });
    expect(camera.back()).toBe(true);
    expect(camera.view).toEqual({ from: 410, to: 510 });
    camera.back();
    expect(camera.view).toEqual({ from: 0, to: 100 });
    expect(camera.back()).toBe(false);
  });

  it("tells of every change, and once of coming to rest", () => {
    const camera = new Camera({ from: 0, to: 100 }, WHOLE);
    const [change, settle] = [vi.fn(), vi.fn()];
    const stop = camera.listen(change, settle);
    for (const from of [10, 20, 30]) camera.set({ from, to: from + 100 });
    expect([change.mock.calls.length, settle.mock.calls.length]).toEqual([3, 0]);
    vi.advanceTimersByTime(500);
    expect(settle).toHaveBeenCalledTimes(1);
    stop();
    camera.set({ from: 0, to: 5 });
    expect(change).toHaveBeenCalledTimes(3);
  });

  it("moves there in steps, at once where the reader wants stillness", () => {
    const still = new Camera({ from: 0, to: 100 }, WHOLE);
    still.jump({ from: 500, to: 510 });
    expect(still.view).toEqual({ from: 500, to: 510 });
    stillness(false);
    const moving = new Camera({ from: 0, to: 100 }, WHOLE);
    moving.jump({ from: 500, to: 510 });
    expect(moving.view).toEqual({ from: 0, to: 100 });
    vi.advanceTimersByTime(1000);
    expect(moving.view).toEqual({ from: 500, to: 510 });
  });

  it("never leaves the whole", () => {
    const camera = new Camera({ from: 0, to: 100 }, WHOLE);
    camera.set({ from: 990, to: 1090 });
    expect(camera.view).toEqual({ from: 900, to: 1000 });
  });
});
