// Memory, input pipeline, drift over the steps, and the profiler’s own cost.

import type { StepDrift } from "../../api/types";
import { bytes, plural, time } from "../format";
import { WORDS } from "../glossary";
import type { Row } from "../grid";
import {
  code,
  column,
  drawn,
  left,
  reasons,
  stepText,
  table,
  text,
  type Curve,
  type Make,
  type Part,
} from "./base";

export const memory: Make = (report) => {
  const devices = report.memory?.devices ?? [];
  if (devices.length === 0) return null;
  const parts = devices.flatMap((device) => {
    const name = device.device === null ? device.device_type : `${device.device_type} ${device.device}`;
    const { curve, peak } = device;
    const own: Part[] = [];
    if (curve !== null && curve.time_us.length > 1) {
      const lines = [{ name: "allocated", look: "compute", y: curve.allocated_bytes }];
      if (curve.reserved_bytes) lines.push({ name: "reserved", look: "reserved", y: curve.reserved_bytes });
      const mark = peak && {
        x: peak.peak_us,
        y: peak.peak_bytes,
        text: `peak ${bytes(peak.peak_bytes)}, step ${stepText(peak.step)}`,
      };
      const about = device.since_recording
        ? "Counted from the start of the recording: what was there before is not known."
        : "";
      own.push(
        drawn(
          { label: "memory", unit: "bytes", steps: false, ends: null, x: curve.time_us, lines, mark },
          `Memory of ${name}`,
          about,
        ),
      );
    }
    if (peak !== null) {
      const columns = [code("operator"), column("blocks", "count"), column("amount", "bytes")];
      const rows = peak.live.by_operator.map((entry): Row => [
        entry.operator ?? "no operator",
        entry.blocks,
        entry.bytes,
      ]);
      rows.push(["there before the recording", null, peak.live.before_recording_bytes]);
      own.push(
        table(
          columns,
          rows.filter((row) => row[2] !== 0),
          `Who held the peak of ${name}`,
        ),
      );
    }
    const steps = device.steps.map((step): Row => [
      stepText(step.number),
      step.peak_bytes,
      step.peak_reserved_bytes,
      step.growth_bytes,
      step.allocations,
      step.frees,
    ]);
    const columns = [
      text("step"),
      column("peak", "bytes"),
      column("reserved", "bytes"),
      column("growth", "bytes"),
      column("allocations", "count"),
      column("frees", "count"),
    ];
    if (steps.length > 0)
      own.push(table(columns, steps, `Steps on ${name}`, left(device.steps_left_out, "step").trim()));
    return own;
  });
  const peaks = devices.flatMap((device) => (device.peak ? [device.peak.peak_bytes] : []));
  const lead = peaks.length > 0 ? `peak ${bytes(Math.max(...peaks))}` : "no peak known";
  return {
    id: "memory",
    title: "Memory",
    lead,
    parts,
    missing: devices.flatMap((device) => reasons(device.not_measured)),
  };
};

export const input: Make = (report) => {
  const found = report.input;
  if (found === null || found.steps.length === 0) return null;
  const columns = [
    text("step"),
    column("data loader"),
    column("of the step", "share"),
    column("GPU idle for it"),
    column("copies", "count"),
    column("amount", "bytes"),
    column("copying"),
    column("exposed", "us", WORDS.exposed),
    column("pageable", "count", "Copies from memory that is not pinned: the CPU has to wait for them."),
  ];
  const rows = found.steps.map((step) => [
    stepText(step.number),
    step.loader_us,
    step.loader_share,
    step.idle_us,
    step.copies,
    step.copy_bytes,
    step.copy_us,
    step.copy_exposed_us,
    step.pageable,
  ]);
  const workers = found.workers === null ? "" : `; the loader works ${found.workers.replaceAll("_", " ")}`;
  const lead = `${time(found.typical.loader_us)} a step in the data loader${workers}`;
  return {
    id: "input",
    title: "Input pipeline",
    lead,
    parts: [table(columns, rows, "", left(found.steps_left_out, "step").trim())],
    missing: reasons(found.not_measured),
  };
};

const DRIFTS: Readonly<Record<string, string>> = {
  duration_us: "CPU span",
  pace_us: "pace",
  gpu_busy_us: "GPU busy",
  gpu_idle_us: "GPU idle",
  offset_us: "lane offset",
};

function driftCurve({ series }: StepDrift): Curve {
  return {
    label: "steps",
    unit: "us",
    steps: true,
    mark: null,
    ends: null,
    x: series.step,
    lines: [
      { name: "pace", look: "text", y: series.pace_us },
      { name: "GPU busy", look: "compute", y: series.gpu_busy_us },
      { name: "GPU idle", look: "reserved", y: series.gpu_idle_us },
    ],
  };
}

export const drift: Make = (report) => {
  const found = report.drift;
  if (found === null) return null;
  const columns = [
    text("figure"),
    text("drifts"),
    column("first"),
    column("last"),
    column("change a step"),
    column("spread"),
  ];
  const rows = found.figures.map((figure): Row => [
    DRIFTS[figure.figure] ?? figure.figure,
    figure.drifts === null ? "too few steps" : figure.drifts ? "yes" : "no",
    figure.first_us,
    figure.last_us,
    figure.slope_us,
    figure.spread_us,
  ]);
  const drifting = found.figures.filter((figure) => figure.drifts).map((figure) => DRIFTS[figure.figure]);
  const parts = [table(columns, rows, "", `Over ${plural(found.steps, "step")} that averages use.`)];
  if (found.series.step.length > 2) parts.unshift(drawn(driftCurve(found), "Step by step"));
  const lead =
    drifting.length > 0
      ? `changes from step to step: ${drifting.join(", ")}`
      : "nothing drifts, as far as can be told";
  return { id: "drift", title: "Drift over the steps", lead, parts, missing: [] };
};

export const profiler: Make = (report) => {
  const found = report.profiler_cost;
  if (found === null) return null;
  const columns = [
    code("work of the profiler"),
    column("count", "count"),
    column("time"),
    column("longest"),
    column("outside of steps"),
  ];
  const rows = found.overhead.map((row) => [
    row.name,
    row.count,
    row.total_us,
    row.longest_us,
    row.outside_us,
  ]);
  const stepColumns = [
    text("step"),
    column("its own work"),
    column("launches delayed"),
    column("GPU idle for it"),
    column("Python frames", "count"),
    column("memory events", "count"),
    column("shapes", "count"),
  ];
  const steps = found.steps.map((step): Row => [
    stepText(step.number),
    step.overhead_us,
    step.latency_us,
    step.idle_us,
    step.python_frames,
    step.memory_events,
    step.shape_records,
  ]);
  const parts = [table(stepColumns, steps, "By step", left(found.steps_left_out, "step").trim())];
  if (rows.length > 0) parts.unshift(table(columns, rows, "By kind", "In the whole recording."));
  const lead = `${time(found.typical.overhead_us)} a step of its own work`;
  return {
    id: "profiler",
    title: "What the profiler cost",
    lead,
    parts,
    missing: reasons(found.not_measured),
  };
};
