// The screens of the page. All but the first are fetched when they are first shown.

import type { ComponentType } from "preact";
import type { CompareAnswer, RunsAnswer } from "../api/answers";
import type { Report } from "../api/types";
import type { Picked } from "../model/files";
import type { Place } from "../state/place";
import type { Asked } from "../state/use_asked";
import type { Go } from "../state/use_place";
import { Overview } from "./overview/overview";

/** What every screen is given: the report of the file on the page, and where the reader is. */
export interface ScreenProps {
  report: Report;
  shown: Picked;
  answer: RunsAnswer;
  place: Place;
  go: Go;
  visible: boolean;
  /** Of the files that the place compares. */
  comparison: Asked<CompareAnswer>;
}

export interface Screen {
  id: string;
  label: string;
  /** Whether it has a search of its own. */
  searches: boolean;
  component: ComponentType<ScreenProps> | null;
  load: (() => Promise<ComponentType<ScreenProps>>) | null;
}

const HERE = { load: null };
export const SCREENS: readonly Screen[] = [
  { id: "overview", label: "Overview", searches: false, component: Overview, ...HERE },
  {
    id: "timeline",
    label: "Timeline",
    searches: true,
    component: null,
    load: () => import("./timeline/timeline_screen").then((module) => module.TimelineScreen),
  },
  {
    id: "compare",
    label: "Compare",
    searches: false,
    component: null,
    load: () => import("./compare/compare").then((module) => module.Compare),
  },
  {
    id: "learn",
    label: "Learn",
    searches: true,
    component: null,
    load: () => import("./learn/learn").then((module) => module.Learn),
  },
];

/** The screen of an address, the first where it names none that there is. */
export function screenOf(tab: string | null): Screen {
  return SCREENS.find((screen) => screen.id === tab) ?? (SCREENS[0] as Screen);
}
