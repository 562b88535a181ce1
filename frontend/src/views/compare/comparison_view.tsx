import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Comparison } from "../../api/types";
import { listComparisonFindings } from "../../model/findings";
import type { Sides } from "../../model/sides";
import type { Place } from "../../state/place";
import type { Go } from "../../state/use_place";
import { FindingsCard } from "../overview/findings_card";
import { Warnings } from "../overview/rail";
import { AlignedCard } from "./aligned_card";
import { DeltaCard } from "./delta_card";
import { FusionCard } from "./fusion_card";
import { GroupsCard } from "./groups_card";
import { PairsCard } from "./pairs_card";
import { CompileCard, LaunchesCard } from "./side_cards";
import { VerdictBlock } from "./verdict_block";

interface Props {
  comparison: Comparison;
  sides: Sides;
  place: Place;
  go: Go;
}

/** One comparison whole: the answer first, then what it rests on. */
export function ComparisonView({ comparison, sides, place, go }: Props): JSX.Element {
  const listed = useMemo(() => listComparisonFindings(comparison), [comparison]);
  const [reveal] = useState({ key: place.finding, times: 0 });
  const toggle = (key: string): void => go({ finding: place.finding === key ? null : key });
  return (
    <div class="wrap comparison">
      <VerdictBlock comparison={comparison} />
      <div class="compare-grid">
        <DeltaCard comparison={comparison} />
        <PairsCard comparison={comparison} />
        <FusionCard comparison={comparison} />
        <div class="compare-side">
          <LaunchesCard comparison={comparison} />
          <CompileCard comparison={comparison} />
          <Warnings warnings={comparison.warnings} />
        </div>
      </div>
      <AlignedCard comparison={comparison} sides={sides} go={go} />
      <GroupsCard comparison={comparison} />
      <FindingsCard
        report={comparison}
        about="pair"
        listed={listed}
        opened={place.finding}
        reveal={reveal}
        onToggle={toggle}
      />
    </div>
  );
}
