import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../src/api/types";

export const DIRECTORY = join(import.meta.dirname, "fixtures");
export const NAMES = ["gpu_bound", "host_bound", "cpu_only", "no_steps", "hostile"] as const;

/** A fresh copy each time, so that a test may change it. */
export function fixture(name: (typeof NAMES)[number]): Report {
  return JSON.parse(readFileSync(join(DIRECTORY, `${name}.json`), "utf8")) as Report;
}
