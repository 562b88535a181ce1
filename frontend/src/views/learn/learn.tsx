import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Spans } from "../../api/types";
import { listFindings } from "../../model/findings";
import { plural } from "../../model/format";
import { humanNames } from "../../model/names";
import { questionOf, questions, type Question } from "../../model/questions";
import { spotOfFinding } from "../../model/spots";
import { useNames } from "../../state/use_names";
import type { ScreenProps } from "../screens";
import { showSpot } from "../show_spot";
import { GlossaryCard } from "./glossary_card";
import { QuestionRow } from "./question_row";

/** What a beginner asks, answered on this trace; and what everything in it is. */
export function Learn({ report, shown, place, go, visible }: ScreenProps): JSX.Element {
  const asked = useMemo(() => questions(report), [report]);
  const names = useNames(shown.file.id, visible);
  const human = useMemo(() => humanNames(names.answer), [names.answer]);
  const [opened, setOpened] = useState(() => questionOf(asked, place.finding) ?? asked[0]?.id ?? null);
  const toggle = (question: Question): void => {
    const opens = opened !== question.id;
    setOpened(opens ? question.id : null);
    const { show } = question;
    if (opens) go({ finding: show !== null && "finding" in show ? show.finding : null });
  };
  const listed = useMemo(() => listFindings(report), [report]);
  const lanesOf = ({ show }: Question): readonly Spans[] => {
    const entry = show !== null && "finding" in show && listed.find(({ key }) => key === show.finding);
    return entry ? entry.finding.evidence.filter((each): each is Spans => each.kind === "spans") : [];
  };
  const showOnTimeline = ({ show }: Question): (() => void) | null => {
    if (show === null) return null;
    if ("step" in show) return () => go({ tab: "timeline", step: show.step, at: null, ev: null });
    const entry = listed.find(({ key }) => key === show.finding);
    const spot = entry ? spotOfFinding(entry.finding) : null;
    return spot && (() => showSpot(go, spot));
  };
  const showMe = ({ show }: Question): void => {
    if (show !== null) go({ tab: "overview", ...show });
  };
  return (
    <div class="wrap learn">
      <div class="learn-columns">
        <div>
          <section class="headline" aria-label="Learn">
            <span class="eyebrow">Learn on your own trace</span>
            <h1>{plural(asked.length, "question")} this trace raises, answered with its own figures</h1>
          </section>
          <section class="card questions" aria-label="Questions">
            {asked.map((question) => (
              <QuestionRow
                key={question.id}
                question={question}
                human={human}
                lanes={lanesOf(question)}
                open={question.id === opened}
                onToggle={() => toggle(question)}
                onShow={() => showMe(question)}
                onTimeline={showOnTimeline(question)}
              />
            ))}
          </section>
        </div>
        <GlossaryCard asked={names} />
      </div>
    </div>
  );
}
