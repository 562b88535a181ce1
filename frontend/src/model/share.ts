// What a reader can take away: addresses of files, and the words about them.

import type { SideName } from "../api/types";

export const FORMATS = [
  { format: "html", label: "Web page", about: "one file that works offline, for mail or a ticket" },
  { format: "markdown", label: "Markdown", about: "short, to paste into an issue" },
  { format: "json", label: "JSON", about: "every figure, for programs" },
] as const;

export function exportAddress(file: string, format: string): string {
  return `./export?file=${encodeURIComponent(file)}&format=${format}`;
}

/** The comparison of two files. */
export function comparisonAddress({ baseline, candidate }: Record<SideName, string>, format: string): string {
  const sides = `baseline=${encodeURIComponent(baseline)}&candidate=${encodeURIComponent(candidate)}`;
  return `./export?${sides}&format=${format}`;
}

export function sliceAddress(file: string, step: number): string {
  return `./slice?file=${encodeURIComponent(file)}&step=${step}`;
}

/** The name that a server gives a file (RFC 6266); null: it gives none. */
export function downloadName(disposition: string | null): string | null {
  const found = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "");
  try {
    return found?.[1] === undefined ? null : decodeURIComponent(found[1]);
  } catch {
    return null;
  }
}
