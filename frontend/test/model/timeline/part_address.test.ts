import { expect, it } from "vitest";
import { parsePart, writePart } from "../../../src/model/timeline/part_address";
import type { Shaded } from "../../../src/model/timeline/shaded";
import { LANES, TIMELINE } from "./blocks";

const lanes = LANES.map((lane) => (lane.kind === "stream" ? { ...lane, device: 0 } : lane));
const timeline = { ...TIMELINE, lanes, start_us: -20 };
const WHOLE = { start_us: -12.5, end_us: 55.125, extent: "whole", parts: [] } as const;

it.each<[Shaded, string]>([
  [{ ...WHOLE, cause: "host", lane: null, device: 0 }, "host,gpu0,-12.5,55.125"],
  [{ ...WHOLE, cause: "wait_gpu_busy", lane: 0, device: null }, "wait_gpu_busy,lane0,-12.5,55.125"],
  [{ ...WHOLE, cause: null, lane: null, device: 0 }, "outside,gpu0,-12.5,55.125"],
  [
    { ...WHOLE, cause: "profiler_work", lane: null, device: null, extent: "several" },
    "profiler_work,all,-12.5,55.125,several",
  ],
])("a part is %j in an address as %s, and comes back", (part, text) => {
  expect(writePart(part)).toBe(text);
  expect(parsePart(text, timeline)).toEqual(part);
});

it.each([
  null,
  "",
  "42",
  "host,gpu0,55,45",
  "host,gpu3,45,55",
  "wait_gpu_busy,lane99,45,55",
  "wait_gpu_busy,lane1,45,55",
  "wait_gpu_busy,gpu0,45,55",
  "host,lane0,45,55",
  "host,all,45,55",
  "outside,all,45,55",
  "profiler_work,gpu0,45,55",
  "host,gpu0,-21,55",
  "host,gpu0,45,100.1",
  "toString,gpu0,45,55",
  "host,gpu0,4.5.6,55",
  "host,gpu0,45,55,soon",
])("%s names no part", (text) => expect(parsePart(text, timeline)).toBeNull());

it("writes times to the nanosecond, and leaves out what the part is made of", () => {
  const part: Shaded = { ...WHOLE, cause: "host", lane: null, device: 0, parts: [["CPU not ready", 1]] };
  expect(writePart({ ...part, start_us: 1 / 3 })).toBe("host,gpu0,0.333,55.125");
});
