import type { Spot } from "../model/spots";
import { writeView } from "../model/timeline/view";
import type { Go } from "../state/use_place";

/** Opens the Timeline screen at a spot, its event chosen. */
export function showSpot(go: Go, { event, range_us }: Spot): void {
  const at = range_us === null ? null : writeView({ from: range_us[0], to: range_us[1] });
  go({ tab: "timeline", ev: event === null ? null : `${event}`, at });
}
