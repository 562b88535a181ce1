import { describe, expect, it } from "vitest";
import { listFindings } from "../../../src/model/findings";
import { WAITING_COSTS } from "../../../src/model/glossary";
import { layOut } from "../../../src/model/timeline/layout";
import { pictureOf, rowKinds } from "../../../src/model/timeline/picture";
import {
  findingAbout,
  ownerOf,
  shadedAt,
  titleOf,
  wordsOf,
  type Shaded,
} from "../../../src/model/timeline/shaded";
import { fixture } from "../../fixtures";
import { block, EVENTS, TIMELINE } from "./blocks";

const SHADES = [
  { cause: "wait_gpu_busy", lane: 0, device: null, total_us: 10 },
  { cause: "sync_bubble", lane: null, device: 0, total_us: 5 },
  { cause: "profiler_work", lane: null, device: null, total_us: 5 },
] as const;
const DRAWN = [
  { shade: 0, start: 40, end: 50 },
  { shade: 1, start: 45, end: 55 },
  { shade: 2, start: 90, end: 95 },
];
const lanes = TIMELINE.lanes.map((lane) => (lane.kind === "stream" ? { ...lane, device: 0 } : lane));
const picture = pictureOf(block(EVENTS, DRAWN), { lanes, shades: SHADES });
const layout = layOut(lanes, rowKinds(picture), new Set(), 400);
const none = { cpu: 0, gpu: 0 };
const at = (at_us: number, y: number): Shaded | null =>
  shadedAt(picture, SHADES, layout, none, { at_us, y, slack_us: 0 });
const stream = layout.gpu.top + layout.boxes.find((box) => box.pane === "gpu")!.workTop + 4;
const belowThreads = layout.cpu.top + layout.cpu.height - 1;

const SHADED: Shaded = {
  ...{ cause: "sync_bubble", lane: null, device: 0, start_us: 45, end_us: 55, extent: "whole", parts: [] },
};

describe("a shaded part", () => {
  it("is found where it is drawn: idle times on streams, waits below their call, the profiler anywhere", () => {
    expect(at(48, stream)?.cause).toBe("sync_bubble");
    expect(at(42, stream)?.cause).toBe("wait_gpu_busy");
    expect(at(48, belowThreads)?.cause).toBe("wait_gpu_busy");
    expect(at(92, belowThreads)?.cause).toBe("profiler_work");
    expect(at(70, stream)).toBeNull();
    expect(at(48, 10)).toBeNull();
  });

  it("says how long it is, and whether that is all of it", () => {
    expect(at(48, stream)).toEqual(SHADED);
  });

  it("is called what the page calls it elsewhere, and told whose it is", () => {
    expect(titleOf(SHADED, lanes)).toBe("GPU idle: refill bubble");
    expect(ownerOf(SHADED, lanes)).toBe("GPU 0");
    const wait = { ...SHADED, cause: "wait_gpu_busy", lane: 0, device: null } as const;
    expect(titleOf(wait, lanes)).toContain("waits while the GPU works");
    expect(titleOf({ ...SHADED, cause: null }, lanes)).toBe("GPU without work, outside the device windows");
    for (const { cause } of SHADES) expect(wordsOf({ ...SHADED, cause }).what).not.toBe("");
  });

  it("is a problem where it may be one, and says no more than the trace does", () => {
    const of = (cause: Shaded["cause"]): string => wordsOf({ ...SHADED, cause }).problem;
    expect(of("wait_gpu_busy")).toBe(WAITING_COSTS);
    expect(of("wait_gpu_idle")).toMatch(/^Where it is long, it may be/);
    expect(of(null)).toMatch(/^It is not in a step’s idle time by cause\. .+ lost time counts it\.$/);
    expect(wordsOf({ ...SHADED, cause: null }).what).toMatch(/ Where the recording has steps, /);
  });

  it("leads to the finding about such time, and to none where there is none", () => {
    const report = fixture("host_bound");
    const [first, ...rest] = report.findings;
    const findings = [...rest, { ...first!, rule: "host-bound", evidence: [] }];
    const listed = listFindings({ ...report, findings });
    const host = findingAbout(listed, { ...SHADED, cause: "host" });
    expect(host?.finding.rule).toBe("host-bound");
    expect(findingAbout(listed, { ...SHADED, cause: "dependency" })).toBeNull();
  });
});
