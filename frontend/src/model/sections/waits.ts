// When the CPU waited and the GPU was idle.

import type { Gap } from "../../api/types";
import { plural, time } from "../format";
import { CPU_ROWS, GPU_ROWS, HOST_WAIT, WORDS } from "../glossary";
import type { Row } from "../grid";
import { IDLE_CAUSES } from "../idle_causes";
import { spotOfCause, spotOfEvent, spotOfGap, spotOfRange, type Spot } from "../spots";
import { isAveraged } from "../steps";
import {
  averaged,
  code,
  column,
  drawn,
  left,
  longest,
  path,
  reasons,
  spotsOf,
  stepText,
  sums,
  table,
  text,
  type Curve,
  type Make,
} from "./base";

export const callSites: Make = (report) => {
  const found = report.call_sites;
  if (found === null || found.sites.length === 0) return null;
  const columns = [
    path("who"),
    text("phase"),
    path("inside"),
    code("calls"),
    column("count", "count"),
    column("waiting", "us", "How long the CPU stood in these calls."),
    column("GPU busy", "us", "The part in which the GPU worked: useful waiting."),
    column("GPU idle", "us", "The part in which the GPU had nothing to run."),
    column("bubble", "us", WORDS["refill bubble"]),
  ];
  const rows = found.sites.map((site) => [
    site.source ?? site.operator ?? site.annotation ?? site.calls.join(", "),
    site.phase,
    site.module ?? (site.top_operator === site.operator ? site.annotation : site.top_operator),
    site.calls.join(", "),
    site.count,
    site.waiting_us,
    site.gpu_busy_us,
    site.gpu_idle_us,
    site.bubble_us,
  ]);
  const total = found.sites.reduce((sum, site) => sum + site.waiting_us, 0) + found.rest.waiting_us;
  const lead = `${plural(found.sites.length + found.rest.sites, "place")} made the CPU wait for ${time(total)}`;
  const note = sums(report) + left(found.rest.sites, "place");
  return {
    id: "waits",
    title: "Who made the CPU wait",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.sites))],
    missing: reasons(found.not_measured),
  };
};

const HOST: Readonly<Record<string, [string, string | undefined]>> = {
  python: ["Python", CPU_ROWS.python],
  op_dispatch: ["operator dispatch", CPU_ROWS.dispatch],
  optimizer: ["optimizer", CPU_ROWS.optimizer],
  compile_lookup: ["compiled-code lookup", CPU_ROWS.compile],
  launch_call: ["launch and other calls", CPU_ROWS.launch],
  allocator: ["GPU memory calls", CPU_ROWS.allocator],
  loading: ["loading GPU code", CPU_ROWS.loading],
  wait: ["waiting", HOST_WAIT],
};

export const idle: Make = (report) => {
  const gpus = report.steps.filter((step) => isAveraged(report, step)).flatMap((step) => step.gpu ?? []);
  const devices = [...new Set(gpus.map((gpu) => gpu.device))].sort((a, b) => a - b);
  const total = gpus.reduce((sum, gpu) => sum + gpu.idle_us, 0);
  if (total === 0) return null;
  const spots = new Map<Row, Spot>();
  const rows = devices.flatMap((device) => {
    const own = gpus.filter((gpu) => gpu.device === device);
    const whole = own.reduce((sum, gpu) => sum + gpu.idle_us, 0);
    const sum = (value: (gpu: (typeof own)[number]) => number): number =>
      own.reduce((total_us, gpu) => total_us + value(gpu), 0);
    const found = (row: Row, lost: (gap: Gap) => number): Row => {
      const spot = spotOfCause(report, device, lost);
      if (spot) spots.set(row, spot);
      return row;
    };
    const causes = IDLE_CAUSES.map(([key, label, fill]): Row => {
      const us = sum((gpu) => gpu.idle_by_cause[key]);
      const row = [label, GPU_ROWS[fill] ?? "", device, us, whole > 0 ? us / whole : null];
      return found(row, (gap) => gap.causes[key] ?? 0);
    });
    const host = Object.entries(HOST).map(([key, [label, meaning]]): Row => {
      const us = sum((gpu) => gpu.host_by[key as keyof typeof gpu.host_by]);
      const row = [`CPU not ready: ${label}`, meaning ?? "", device, us, whole > 0 ? us / whole : null];
      return found(row, (gap) => gap.host_by[key] ?? 0);
    });
    const [first, ...rest] = causes;
    return [...(first ? [first] : []), ...host, ...rest].filter((row) => Number(row[3]) > 0);
  });
  const columns = [
    text("cause"),
    text("what it means"),
    column("device", "count"),
    column("idle"),
    column("of its idle time", "share"),
  ];
  const note = `${sums(report)} The rows after “CPU not ready” say what the CPU did in that part.`;
  const lead = `${time(total)} without GPU work${devices.length > 1 ? `, over ${devices.length} devices` : ""}`;
  return {
    id: "idle",
    title: "Why the GPU was idle",
    lead,
    parts: [table(columns, rows, "", note, spots)],
    missing: [],
  };
};

const GAP_KINDS: Readonly<Record<Gap["kind"], string | null>> = {
  before_recording: "launched before recording",
  launch_not_recorded: "launch not recorded",
  queued: "work was queued",
  hole: "no CPU event",
  cpu: null,
};

/** What a gap is; of an ordinary one, what makes most of it. */
function gapCause(gap: Gap): string {
  const kind = GAP_KINDS[gap.kind];
  if (kind !== null) return kind;
  const parts: [string, number][] = [
    ...Object.entries(gap.causes).filter(([name]) => name !== "host"),
    ...Object.entries(gap.host_by),
  ];
  const [name] = parts.reduce((most, part) => (part[1] > most[1] ? part : most), ["unknown", 0]);
  return HOST[name]?.[0] ?? IDLE_CAUSES.find(([key]) => key === name)?.[1] ?? name.replaceAll("_", " ");
}

export const gaps: Make = (report) => {
  const found = report.gaps;
  if (found === null || found.count === 0) return null;
  const columns = [
    text("mostly"),
    code("ran before"),
    code("ran after"),
    text("step"),
    column("device", "count"),
    column("at", "us", "From the start of the first step."),
    column("length"),
  ];
  const rows = found.longest.map((gap) => [
    gapCause(gap),
    gap.before,
    gap.after,
    stepText(gap.step),
    gap.device,
    gap.start_us,
    gap.duration_us,
  ]);
  const lengths = found.by_length.map((entry): Row => [
    entry.up_to_us === null ? "longer" : `up to ${time(entry.up_to_us)}`,
    entry.count,
    entry.duration_us,
    entry.queued_us,
  ]);
  const lengthColumns = [
    text("length"),
    column("gaps", "count"),
    column("together"),
    column("with work queued"),
  ];
  const lead = `${plural(found.count, "gap")}, ${time(found.duration_us)} together`;
  return {
    id: "gaps",
    title: "Gaps between GPU work",
    lead,
    parts: [
      table(
        columns,
        rows,
        "The longest",
        sums(report) + left(found.rest.count, "gap"),
        spotsOf(rows, found.longest.map(spotOfGap)),
      ),
      table(lengthColumns, lengths, "By length"),
    ],
    missing: [],
  };
};

export const queue: Make = (report) => {
  const found = report.queue;
  if (found === null || found.steps.length === 0) return null;
  const columns = [
    text("step"),
    column("device", "count"),
    column("launches", "count"),
    column(
      "mean depth",
      "ratio",
      "How many launched pieces of work had not ended, on average over the window.",
    ),
    column("deepest", "count"),
    column("late", "count", "Launches that came when the GPU had nothing left to run."),
    column("idle, queue empty"),
    column("idle, launching"),
    column("idle, work queued"),
  ];
  const rows = found.steps.map((step) => [
    stepText(step.step),
    step.device,
    step.launches,
    step.mean,
    step.max,
    step.late,
    step.idle_empty_us,
    step.idle_launching_us,
    step.idle_queued_us,
  ]);
  const parts = [
    table(
      columns,
      rows,
      "",
      `Depth of the launch queue in ${averaged(report)}.${left(found.left_out, "step")}`,
      spotsOf(
        rows,
        found.steps.map((step) => spotOfRange(step.start_us, step.window_us)),
      ),
    ),
  ];
  const last = found.steps.findLast((step) => step.series !== null);
  if (last?.series) {
    const width = last.window_us / last.series.length;
    const curve: Curve = {
      label: "queue depth",
      unit: "count",
      steps: false,
      mark: null,
      ends: [0, last.window_us],
      x: last.series.map((_, index) => (index + 0.5) * width),
      lines: [{ name: "depth", look: "compute", y: last.series }],
    };
    parts.unshift(
      drawn(
        curve,
        `Step ${stepText(last.step)}, device ${last.device}`,
        "Launched work that had not ended, over the step’s window on the GPU.",
      ),
    );
  }
  if (found.blocked.calls.length > 0) {
    const blocked = [
      code("call"),
      code("kernel"),
      text("why"),
      text("step"),
      column("ahead", "count"),
      column("takes"),
      column("usually"),
    ];
    const calls = found.blocked.calls.map((call): Row => [
      call.call,
      call.kernel,
      call.reason.replaceAll("_", " "),
      stepText(call.step),
      call.ahead,
      call.duration_us,
      call.usual_us,
    ]);
    const spots = found.blocked.calls.map((call) => spotOfEvent(call.event));
    parts.push(table(blocked, calls, "Launch calls that were held up", "", spotsOf(calls, spots)));
  }
  const late = found.steps.reduce((sum, step) => sum + step.late, 0);
  const launches = found.steps.reduce((sum, step) => sum + step.launches, 0);
  return {
    id: "queue",
    title: "Launch queue",
    lead: `${late} of ${plural(launches, "launch", "launches")} in ${plural(found.steps.length, "step window")} came late`,
    parts,
    missing: [],
  };
};
