// Cameras on several timelines that show the same range, each counted from a moment of its own.

import { wholeView, type View } from "../../model/timeline/view";
import { Camera } from "./camera";

/** One timeline: where it begins and ends, and the moment that is laid upon those of the others, µs. */
export interface Aligned {
  start_us: number;
  end_us: number;
  zero_us: number;
}

export function shifted(view: View, by_us: number): View {
  return { from: view.from + by_us, to: view.to + by_us };
}

/** All of what any of the timelines has, from the common moment. */
function wholeOf(sides: readonly Aligned[]): View {
  return wholeView(
    Math.min(...sides.map((side) => side.start_us - side.zero_us)),
    Math.max(...sides.map((side) => side.end_us - side.zero_us)),
  );
}

/** A camera a timeline; what one is told, the others follow. `first`: the range at first, from the common moment. */
export function linkedCameras(sides: readonly Aligned[], first: View): Camera[] {
  const whole = wholeOf(sides);
  const cameras = sides.map(({ zero_us }) => new Camera(shifted(first, zero_us), shifted(whole, zero_us)));
  let leads: Camera | null = null;
  cameras.forEach((camera, index) => {
    const lead = (): void => {
      if (leads !== null) return;
      leads = camera;
      cameras.forEach((other, at) => {
        if (other !== camera) other.set(shifted(camera.view, sides[at]!.zero_us - sides[index]!.zero_us));
      });
      leads = null;
    };
    camera.listen(lead, () => undefined);
  });
  return cameras;
}
