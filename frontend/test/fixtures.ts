import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Names } from "../src/api/answers";
import type { Comparison, Report } from "../src/api/types";
import type { TraceFile } from "../src/api/answers";
import type { Picked } from "../src/model/files";

export const DIRECTORY = join(import.meta.dirname, "fixtures");
export const NAMES = ["gpu_bound", "host_bound", "cpu_only", "no_steps", "hostile", "eight_devices"] as const;

/** Sections that a trace may have nothing of; the hand-written reports leave them out. */
const NO_SECTIONS = {
  kernels: null,
  copies: null,
  communication: null,
  call_sites: null,
  operators: null,
  modules: null,
  annotations: null,
  queue: null,
  gaps: null,
  drift: null,
  memory: null,
  input: null,
  profiler_cost: null,
};

/** A fresh copy each time, so that a test may change it. */
export function fixture(name: (typeof NAMES)[number]): Report {
  return { ...NO_SECTIONS, ...(JSON.parse(readFileSync(join(DIRECTORY, `${name}.json`), "utf8")) as Report) };
}

/** The report of the tutorial's eager run, one of our samples. */
export function tutorial(): Report {
  return JSON.parse(readFileSync(join(DIRECTORY, "reports", "tutorial.json"), "utf8")) as Report;
}

export const PAIRS = ["tutorial", "cpu", "breaks", "same"] as const;

/** What `/compare` says of two of our samples; fresh each time too. */
export function comparison(name: (typeof PAIRS)[number]): Comparison {
  return JSON.parse(readFileSync(join(DIRECTORY, "comparisons", `${name}.json`), "utf8")) as Comparison;
}

/** What `/names` says of the tutorial's eager run. */
export function names(): Names {
  return JSON.parse(readFileSync(join(DIRECTORY, "names", "tutorial.json"), "utf8")) as Names;
}

/** A file of a run of the same name, as the page has chosen it. */
export function picked(name: string): Picked {
  const file: TraceFile = {
    ...{ id: name, file: `${name}.json`, worker: null, span: null },
    ...{ bytes: 1, modified_s: 0, state: "ready" },
  };
  return { run: { name, files: [file] }, file, worker: null };
}
