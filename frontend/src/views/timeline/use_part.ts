// The chosen shaded part: as it was chosen here, or as the address leads to it.

import { useMemo, useState } from "preact/hooks";
import { inViewAddress, type InViewAnswer } from "../../api/timeline";
import type { Timeline } from "../../api/types";
import { partIn } from "../../model/timeline/in_view";
import { parsePart, writePart } from "../../model/timeline/part_address";
import type { Shaded } from "../../model/timeline/shaded";
import { useAnswer } from "../../state/timeline/use_answer";

/** `wanted`: what the address chooses. What a part is made of is no part of the address: it is asked for. */
export function usePart(
  file: string,
  wanted: string | null,
  timeline: Timeline,
): [Shaded | null, (part: Shaded | null) => void] {
  const [seen, see] = useState<Shaded | null>(null);
  const here = seen !== null && writePart(seen) === wanted ? seen : null;
  const led = useMemo(() => parsePart(here ? null : wanted, timeline), [here, wanted, timeline]);
  const range = led && { from: led.start_us, to: led.end_us };
  const { answer } = useAnswer<InViewAnswer>(range && inViewAddress(file, range));
  const part = useMemo(() => {
    if (led === null || answer?.state !== "ready") return led;
    return partIn(answer.in_view, led, timeline.lanes);
  }, [led, answer, timeline]);
  return [here ?? part, see];
}
