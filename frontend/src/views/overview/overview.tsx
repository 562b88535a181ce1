import type { ComponentType, JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Report } from "../../api/types";
import type { Picked } from "../../model/files";
import { listFindings } from "../../model/findings";
import { spotsByName, type Spot } from "../../model/spots";
import type { Place } from "../../state/place";
import type { Go } from "../../state/use_place";
import { Lazy } from "../../ui/lazy";
import { showSpot } from "../show_spot";
import { FindingsCard } from "./findings_card";
import { HeadlineBlock } from "./headline";
import { KeyFigures } from "./key_figures";
import { Rail } from "./rail";
import type { SectionsProps } from "./sections_view";
import { StepsCard } from "./steps_card";

const loadSections = (): Promise<ComponentType<SectionsProps>> =>
  import("./sections_view").then((part) => part.SectionsView);

interface Props {
  report: Report;
  shown: Picked;
  place: Place;
  go: Go;
}

/** What bounds the run, what is a false alarm, what to do first, and the evidence. */
export function Overview({ report, shown, place, go }: Props): JSX.Element {
  const listed = useMemo(() => listFindings(report), [report]);
  const [reveal, setReveal] = useState({ key: place.finding, times: 0 });
  const onSpot = useCallback((spot: Spot): void => showSpot(go, spot), [go]);
  const shows = useMemo(() => ({ byName: spotsByName(report), onSpot }), [report, onSpot]);
  const open = (finding: string): void => {
    setReveal({ key: finding, times: reveal.times + 1 });
    go({ finding });
  };
  const toggle = (key: string): void => {
    setReveal({ key: null, times: reveal.times });
    go({ finding: place.finding === key ? null : key });
  };
  return (
    <div class="wrap">
      <div class="columns">
        <div>
          <HeadlineBlock report={report} listed={listed} onOpen={open} onSpot={onSpot} />
          <KeyFigures report={report} />
          <StepsCard report={report} place={place} go={go} />
          <FindingsCard
            report={report}
            listed={listed}
            opened={place.finding}
            reveal={reveal}
            shows={shows}
            onToggle={toggle}
          />
          <Lazy load={loadSections} what="The rest of the report" props={{ report, shown, onSpot }} />
        </div>
        <Rail report={report} />
      </div>
    </div>
  );
}
