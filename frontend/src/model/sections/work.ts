// What ran: kernels, operators, modules, annotations, copies, communication.

import type { CopyFigures } from "../../api/types";
import { bytes, join, percentFigure, plural, time } from "../format";
import { WORDS } from "../glossary";
import type { Row } from "../grid";
import { code, column, left, longest, path, reasons, sums, table, text, type Make } from "./base";

export const kernels: Make = (report) => {
  const found = report.kernels;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    text("what"),
    code("kernel"),
    column("count", "count"),
    column("time"),
    column("of GPU work", "share"),
    column("median"),
    column("longest"),
    column("occupancy, %", "ratio", "How full the profiler estimates the GPU’s multiprocessors to be."),
    column("short", "count", "Kernels that took less time than the calls that launched them."),
  ];
  const rows = found.rows.map((row) => [
    row.human,
    row.name,
    row.count,
    row.time_us,
    row.share,
    row.median_us,
    row.max_us,
    row.occupancy_percent,
    row.short.count,
  ]);
  const lead = `${plural(found.names, "name")}, ${time(found.kernel_us)} in ${plural(found.count, "kernel")}`;
  const note = sums(report) + left(found.rest?.names ?? 0, "name");
  return {
    id: "kernels",
    title: "Kernels",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.rows))],
    missing: [],
  };
};

export const operators: Make = (report) => {
  const found = report.operators;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    code("operator"),
    column("calls", "count"),
    column("CPU self", "us", "Without the operators that it calls."),
    column("CPU total"),
    column("GPU", "us", "GPU work that the operator itself launched."),
    column("GPU total"),
    column("kernels", "count"),
    column("of GPU work", "share"),
  ];
  const rows = found.rows.map((row) => [
    row.name,
    row.calls,
    row.cpu_self_us,
    row.cpu_total_us,
    row.device_self_us,
    row.device_total_us,
    row.kernels,
    row.share,
  ]);
  const lead = `${plural(found.rows.length + found.rest.names, "name")}; the first is ${found.rows[0]?.name ?? ""}`;
  const note = sums(report) + left(found.rest.names, "name");
  return {
    id: "operators",
    title: "Operators",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.rows))],
    missing: reasons(found.not_measured),
  };
};

export const modules: Make = (report) => {
  const found = report.modules;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    path("module"),
    column("calls", "count"),
    column("CPU self"),
    column("CPU total"),
    column("GPU self"),
    column("GPU total"),
    column("GPU backward", "us", "GPU work of the backward pass of what the module did forward."),
  ];
  const rows = found.rows.map((row) => [
    row.path,
    row.calls,
    row.cpu_self_us,
    row.cpu_total_us,
    row.device_self_us,
    row.device_total_us,
    row.backward_total_us,
  ]);
  const lead = plural(found.rows.length + found.rest.paths, "path");
  const note = sums(report) + left(found.rest.paths, "path");
  return {
    id: "modules",
    title: "Modules",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.rows))],
    missing: reasons(found.not_measured),
  };
};

export const annotations: Make = (report) => {
  const found = report.annotations;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    code("annotation"),
    column("count", "count"),
    column("CPU"),
    column("GPU"),
    column("kernels", "count"),
    column("GPU backward"),
  ];
  const rows = found.rows.map((row) => [
    row.name,
    row.count,
    row.cpu_total_us,
    row.device_us,
    row.kernels,
    row.backward_us,
  ]);
  const lead = plural(found.rows.length + found.rest.names, "name");
  const note = sums(report) + left(found.rest.names, "name");
  return {
    id: "annotations",
    title: "Annotations",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.rows))],
    missing: reasons(found.not_measured),
  };
};

function copyRow(name: string, figures: CopyFigures): Row {
  return [
    name,
    figures.count,
    figures.time_us,
    figures.bytes,
    figures.bandwidth_gb_per_s,
    figures.exposed_us,
    figures.blocking_count,
    figures.blocking_us,
  ];
}

export const copies: Make = (report) => {
  const found = report.copies;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    code("copy or memset"),
    column("count", "count"),
    column("time"),
    column("amount", "bytes"),
    column("GB/s", "ratio"),
    column("exposed", "us", WORDS.exposed),
    column("blocking", "count", "Copies during which the CPU stood in the call."),
    column("blocked for"),
  ];
  const rows = found.rows.map((row) => copyRow(row.name, row.figures));
  const amount = found.copies.bytes === null ? "" : `, ${bytes(found.copies.bytes)}`;
  const lead = `${plural(found.copies.count, "copy").replace(/copys$/, "copies")}, ${time(found.copies.time_us)}${amount}; ${plural(found.memsets.count, "memset")}`;
  const note = sums(report) + left(found.rest?.names ?? 0, "name");
  return {
    id: "copies",
    title: "Copies and memsets",
    lead,
    parts: [table(columns, rows, "", note, longest(rows, found.rows))],
    missing: [],
  };
};

export const communication: Make = (report) => {
  const found = report.communication;
  if (found === null || found.rows.length === 0) return null;
  const columns = [
    text("collective"),
    text("library"),
    column("count", "count"),
    column("time"),
    column("amount", "bytes"),
    column("exposed", "us", WORDS.exposed),
    column("overlapped", "us", "Communication while other work of the step ran."),
    column("exposed part", "share"),
  ];
  const rows = found.rows.map((row) => [
    row.collective,
    row.library,
    row.count,
    row.time_us,
    row.bytes,
    row.exposed_us,
    row.overlapped_us,
    row.union_us > 0 ? row.exposed_us / row.union_us : null,
  ]);
  const share =
    found.union_us > 0 ? `, ${join(percentFigure(found.exposed_us / found.union_us))} of it exposed` : "";
  const lead = `${time(found.union_us)}${share}`;
  const split =
    found.waiting_us === null || found.transfer_us === null
      ? ""
      : ` Of the time, ${time(found.waiting_us)} was waiting for other ranks and ${time(found.transfer_us)} transfer.`;
  return {
    id: "communication",
    title: "Communication",
    lead,
    parts: [table(columns, rows, "", sums(report) + split, longest(rows, found.rows))],
    missing: reasons(found.not_measured),
  };
};
