import { describe, expect, it } from "vitest";
import { linkedCameras } from "../../../src/state/timeline/linked";

const SIDES = [
  { start_us: 0, end_us: 100, zero_us: 40 },
  { start_us: -10, end_us: 500, zero_us: 200 },
];

describe("linked cameras", () => {
  it("begin at the same range, each from its own moment", () => {
    const [a, b] = linkedCameras(SIDES, { from: 0, to: 10 });
    expect(a!.view).toEqual({ from: 40, to: 50 });
    expect(b!.view).toEqual({ from: 200, to: 210 });
  });

  it("follow one another both ways", () => {
    const [a, b] = linkedCameras(SIDES, { from: 0, to: 10 });
    a!.set({ from: 45, to: 65 });
    expect(b!.view).toEqual({ from: 205, to: 225 });
    b!.set({ from: 150, to: 250 });
    expect(a!.view).toEqual({ from: -10, to: 90 });
  });

  it("reach all that either has", () => {
    const [a, b] = linkedCameras(SIDES, { from: 0, to: 10 });
    expect(a!.whole.from - 40).toBeCloseTo(b!.whole.from - 200, 9);
    expect(a!.whole.from).toBeLessThan(-170);
    expect(a!.whole.to).toBeGreaterThan(340);
  });
});
