// The sections of the report below its findings: one function each, from the report to tables and curves.

import type { Report } from "../../api/types";
import type { Make, Section } from "./base";
import { drift, input, memory, profiler } from "./rest";
import { callSites, gaps, idle, queue } from "./waits";
import { annotations, communication, copies, kernels, modules, operators } from "./work";

export type { Curve, Part, Section } from "./base";

const MAKERS: readonly (readonly [string, Make])[] = [
  ["waits", callSites],
  ["idle GPU time", idle],
  ["gaps", gaps],
  ["launch queue", queue],
  ["kernels", kernels],
  ["operators", operators],
  ["modules", modules],
  ["annotations", annotations],
  ["copies", copies],
  ["communication", communication],
  ["memory", memory],
  ["data loader", input],
  ["drift", drift],
  ["profiler cost", profiler],
];

export interface Sections {
  shown: readonly Section[];
  /** What the report has nothing about. */
  absent: readonly string[];
}

export function sectionsOf(report: Report): Sections {
  const made = MAKERS.map(([name, make]) => ({ name, section: make(report) }));
  return {
    shown: made.flatMap(({ section }) => (section === null ? [] : [section])),
    absent: made.flatMap(({ name, section }) => (section === null ? [name] : [])),
  };
}
