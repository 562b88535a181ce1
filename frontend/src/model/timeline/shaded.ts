// What a shaded part of the drawing is: idle time of a device by its cause, a wait of a thread, the profiler.

import type { Explanation } from "../../api/timeline";
import type { Finding, LaneInfo, ShadeCause, Timeline } from "../../api/types";
import type { Listed } from "../findings";
import { CPU_ROWS, GPU_ROWS, WAITING_COSTS, WORDS } from "../glossary";
import { IDLE_CAUSES } from "../idle_causes";
import { laneTitle, paneAt, rowY, type Layout, type Scrolls } from "./layout";
import type { Picture } from "./picture";

/** One interval: of a device, of a lane, or of neither. `cause` null: idle, and in no device window. */
export interface Shaded {
  cause: ShadeCause | null;
  lane: number | null;
  device: number | null;
  start_us: number;
  end_us: number;
  /** Whether it begins earlier or ends later than is known, or stands for several that lie close together. */
  extent: "whole" | "cut" | "several";
  /** What it is made of, where that is more than one thing. */
  parts: readonly (readonly [string, number])[];
}

type Verdict = Explanation["verdict"];

interface Words {
  what: string;
  problem: string;
  verdict: Verdict;
  /** Rules whose finding is about such time, the closest first. */
  rules: readonly string[];
}

const PROFILER: Words = {
  what: "The profiler’s own work and waits: do not count these.",
  problem: "No: without the profiler they are not there.",
  verdict: "artefact",
  rules: ["profiler-overhead-in-steps", "profiler-buffer"],
};
const WAIT_RULES = ["waits-in-steps", "implicit-waits", "scalar-reads", "shape-reads"];

const CAUSES: Readonly<Record<ShadeCause, Words>> = {
  sync_bubble: {
    what: WORDS["refill bubble"],
    problem: "It could be won back, at most, by not waiting for the GPU; the waits themselves are not lost.",
    verdict: "avoidable",
    rules: WAIT_RULES,
  },
  host: {
    what: GPU_ROWS.host ?? "",
    problem: "Yes, where it makes the steps longer: the CPU has to hand out work sooner, or less of it.",
    verdict: "depends",
    rules: ["host-bound", "queue-runs-dry", "silent-host"],
  },
  input: {
    what: GPU_ROWS.input ?? "",
    problem: "Yes, where it comes with every step: the batches are not ready in time.",
    verdict: "depends",
    rules: ["input-idle", "data-loader-single-process"],
  },
  launch: {
    what: GPU_ROWS.queued ?? "",
    problem: "One is not; many of them add up, and fewer, longer kernels have fewer of them.",
    verdict: "expected",
    rules: ["many-small-gaps", "short-kernels"],
  },
  dependency: {
    what: GPU_ROWS.dependency ?? "",
    problem: "Not where the work needs the result of the other stream.",
    verdict: "depends",
    rules: [],
  },
  unknown: {
    what: GPU_ROWS.unknown ?? "",
    problem: "This trace cannot tell.",
    verdict: "depends",
    rules: ["unexplained-idle"],
  },
  profiler: { ...PROFILER, what: GPU_ROWS.profiler ?? "" },
  profiler_work: PROFILER,
  wait_profiler: PROFILER,
  closing_wait: { ...PROFILER, rules: ["closing-wait"] },
  wait_gpu_busy: {
    what: CPU_ROWS["wait-busy"] ?? "",
    problem: WAITING_COSTS,
    verdict: "expected",
    rules: WAIT_RULES,
  },
  wait_gpu_idle: {
    what: CPU_ROWS["wait-idle"] ?? "",
    problem:
      "Where it is long, it may be: the GPU had nothing to do, and the waiting thread could hand out no work. A few microseconds at the end of a wait are usual.",
    verdict: "depends",
    rules: WAIT_RULES,
  },
};

export function isCause(word: string): word is ShadeCause {
  return Object.hasOwn(CAUSES, word);
}

const OUTSIDE: Words = {
  what: "The GPU ran nothing, and no device window holds this time. Where the recording has steps, it lies, for example, before the first of them or after the work of the last.",
  problem:
    "It is not in a step’s idle time by cause. Where it lies in a step, the step’s lost time counts it.",
  verdict: "expected",
  rules: [],
};

export function wordsOf({ cause }: Shaded): Words {
  return cause === null ? OUTSIDE : CAUSES[cause];
}

const WAITS: Readonly<Partial<Record<ShadeCause, string>>> = {
  wait_gpu_busy: "waits while the GPU works",
  wait_gpu_idle: "waits, and the GPU has nothing to do",
  wait_profiler: "waits for the profiler",
  closing_wait: "waits: the profiler’s own wait at the end",
};

/** What such time belongs to: a device, the lane of a thread, or everything. */
export function ownerKind(cause: Shaded["cause"]): "gpu" | "lane" | "all" {
  if (cause === "profiler_work") return "all";
  return cause !== null && WAITS[cause] !== undefined ? "lane" : "gpu";
}

/** What it is called. */
export function titleOf({ cause, lane }: Shaded, lanes: readonly LaneInfo[]): string {
  if (cause === null) return "GPU without work, outside the device windows";
  if (cause === "profiler_work") return "The profiler at work";
  const wait = WAITS[cause];
  if (wait === undefined) return `GPU idle: ${IDLE_CAUSES.find(([each]) => each === cause)?.[1] ?? cause}`;
  const whose = lane === null ? undefined : lanes[lane];
  return `${whose ? laneTitle(whose)[0] : "CPU"} ${wait}`;
}

/** Whose time it is. */
export function ownerOf({ lane, device }: Shaded, lanes: readonly LaneInfo[]): string {
  const whose = lane === null ? undefined : lanes[lane];
  if (whose) return laneTitle(whose).filter(Boolean).join(", ");
  return device === null ? "the profiler" : `GPU ${device}`;
}

function overlaps(finding: Finding, { start_us, end_us }: Shaded): boolean {
  return finding.evidence.some(
    (each) =>
      each.kind === "spans" &&
      each.spans.some(
        (span) =>
          !span.name.startsWith("ProfilerStep") &&
          span.start_us < end_us &&
          span.start_us + span.duration_us > start_us,
      ),
  );
}

/** The finding about it: one whose evidence lies there, else the one about all such time. */
export function findingAbout(listed: readonly Listed[], shaded: Shaded): Listed | null {
  const { rules } = wordsOf(shaded);
  const about = rules.flatMap((rule) => listed.filter(({ finding }) => finding.rule === rule));
  return about.find(({ finding }) => overlaps(finding, shaded)) ?? about[0] ?? null;
}

/** Whether a shade is drawn at a height of the drawing; `row`: of the call that waits, -1 where there is none. */
function isThere(
  { lane, device, cause }: Timeline["shades"][number],
  row: number,
  layout: Layout,
  scrolls: Scrolls,
  y: number,
): boolean {
  if (paneAt(layout, y) === null) return false;
  if (device !== null) {
    return layout.boxes.some((box) => {
      const [top, bottom] = [box.workTop, box.top + box.height].map(
        (each) => layout.gpu.top - scrolls.gpu + each,
      );
      return box.pane === "gpu" && box.lane.device === device && y >= top! && y < bottom!;
    });
  }
  if (lane === null) return cause === "profiler_work";
  const box = layout.boxes.find((each) => each.lane.id === lane);
  return box !== undefined && y >= rowY(layout, box, Math.max(0, row), scrolls);
}

/** What is drawn over another comes first: idle times, then waits, then the profiler. */
function depth({ device, lane }: Timeline["shades"][number]): number {
  return device !== null ? 0 : lane !== null ? 1 : 2;
}

/** The shaded part at a point of the drawing where no event is. */
export function shadedAt(
  { block, shadeRow }: Picture,
  shades: Timeline["shades"],
  layout: Layout,
  scrolls: Scrolls,
  { at_us, y, slack_us }: { at_us: number; y: number; slack_us: number },
): Shaded | null {
  const at = at_us - block.from_us;
  const length = (block.to_us - block.from_us) * (1 - 1e-6);
  const runs = block.shades.flatMap((run) => {
    const shade = shades[run.shade];
    return shade ? [{ run, shade }] : [];
  });
  runs.sort((a, b) => depth(a.shade) - depth(b.shade));
  for (const { run, shade } of runs) {
    for (let i = run.first; i < run.end; i += 1) {
      const [from, to] = [block.shadeStart[i]!, block.shadeEnd[i]!];
      if (at < from - slack_us || at > to + slack_us) continue;
      if (!isThere(shade, shadeRow[i]!, layout, scrolls, y)) continue;
      const cut = from <= -length || to >= 2 * length;
      return {
        ...{ cause: shade.cause, lane: shade.lane, device: shade.device, parts: [] },
        ...{ start_us: block.from_us + from, end_us: block.from_us + to },
        extent: cut ? "cut" : block.shadeFill[i]! < 255 ? "several" : "whole",
      };
    }
  }
  return null;
}
