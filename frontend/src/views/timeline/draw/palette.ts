// Colours of the drawing: the page's own, read from its stylesheet whenever the theme changes.

import { LOOKS, type Look } from "../../../model/timeline/looks";
import type { ShadeCause, Verdict } from "../../../api/types";

export type Paint = string | CanvasPattern;

export interface Palette {
  text: string;
  text2: string;
  text3: string;
  surface: string;
  raised: string;
  line: string;
  lineStrong: string;
  bubble: string;
  waitLine: string;
  profiler: string;
  /** By place in `LOOKS`: of the rectangle, and of its name. */
  looks: readonly Paint[];
  inks: readonly string[];
  waitInk: string;
  shades: Readonly<Record<ShadeCause, Paint>>;
  verdicts: Readonly<Record<Verdict, string>>;
  unsettled: Paint;
  onVerdict: string;
  sans: string;
}

type Token = (name: string) => string;

function pattern(
  size: number,
  draw: (brush: CanvasRenderingContext2D, size: number) => void,
  back: string,
): Paint {
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const brush = tile.getContext("2d");
  if (!brush) return back;
  if (back !== "") {
    brush.fillStyle = back;
    brush.fillRect(0, 0, size, size);
  }
  draw(brush, size);
  return brush.createPattern(tile, "repeat") ?? back;
}

/** Slanting lines, whole at the tile's edges. */
function hatch(ink: string, back: string, size = 6, line = 1.4): Paint {
  return pattern(
    size,
    (brush) => {
      brush.strokeStyle = ink;
      brush.lineWidth = line;
      brush.beginPath();
      for (const shift of [-size, 0, size]) {
        brush.moveTo(shift - 1, size + 1);
        brush.lineTo(shift + size + 1, -1);
      }
      brush.stroke();
    },
    back,
  );
}

function dots(ink: string, back: string): Paint {
  return pattern(
    5,
    (brush) => {
      brush.fillStyle = ink;
      brush.fillRect(2, 2, 1.2, 1.2);
    },
    back,
  );
}

function lookPaints(token: Token): Record<Look, Paint> {
  return {
    python: token("python"),
    annotation: token("python"),
    step: token("raised"),
    dispatch: token("dispatch"),
    launch: token("launch"),
    compute: token("compute"),
    communication: token("communication"),
    copy: token("copy"),
    profiler: hatch(token("profiler"), token("surface")),
    gpu_annotation: token("raised"),
    sync_row: token("wait-idle"),
    other: token("line-strong"),
  };
}

function lookInks(token: Token, dark: boolean): Record<Look, string> {
  const [text, onData] = [token("text"), token("on-data")];
  return {
    python: text,
    annotation: text,
    step: text,
    dispatch: dark ? "#ffffff" : text,
    launch: onData,
    compute: onData,
    communication: onData,
    copy: onData,
    profiler: text,
    gpu_annotation: text,
    sync_row: text,
    other: text,
  };
}

function shadePaints(token: Token): Record<ShadeCause, Paint> {
  const profiler = hatch(token("profiler"), "");
  return {
    wait_gpu_busy: token("wait"),
    wait_gpu_idle: token("wait-idle"),
    wait_profiler: profiler,
    closing_wait: hatch(token("profiler"), token("surface")),
    profiler_work: profiler,
    profiler,
    sync_bubble: hatch(token("bubble"), token("surface"), 6, 2),
    input: token("input"),
    host: token("host"),
    dependency: token("dependency"),
    launch: dots(token("text-3"), token("queued")),
    unknown: token("surface"),
  };
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const token: Token = (name) => style.getPropertyValue(`--${name}`).trim() || "#888888";
  const dark = document.documentElement.dataset["theme"] === "dark";
  const [paints, inks] = [lookPaints(token), lookInks(token, dark)];
  return {
    text: token("text"),
    text2: token("text-2"),
    text3: token("text-3"),
    surface: token("surface"),
    raised: token("raised"),
    line: token("line"),
    lineStrong: token("line-strong"),
    bubble: token("bubble"),
    waitLine: token("wait-line"),
    profiler: token("profiler"),
    looks: LOOKS.map((look) => paints[look]),
    inks: LOOKS.map((look) => inks[look]),
    waitInk: "#141d2b",
    shades: shadePaints(token),
    verdicts: {
      fix: token("fix"),
      expected: token("text"),
      artifact: token("text-3"),
      undecided: token("undecided"),
    },
    unsettled: hatch(token("line-strong"), ""),
    onVerdict: token("surface"),
    sans: token("sans"),
  };
}
