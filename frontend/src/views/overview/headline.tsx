import type { JSX } from "preact";
import type { Headline, Report, Verdict } from "../../api/types";
import { findingOf, type Listed } from "../../model/findings";
import { leadSentence } from "../../model/prose";
import { shownByAdvice } from "../../model/spots";
import type { ShowSpot } from "../../ui/spot_button";
import { Prose, Sentence } from "../../ui/text";
import { ConfidenceMeter, Pill } from "../../ui/verdict";

interface Props {
  report: Report;
  listed: readonly Listed[];
  onOpen: (finding: string) => void;
  onSpot: ShowSpot;
}

function verdictOf(listed: readonly Listed[], key: string | null, otherwise: Verdict): Verdict {
  return listed.find((entry) => entry.key === key)?.finding.verdict ?? otherwise;
}

const NOTHING = { human: null, spot: null };

function First({ report, listed, onOpen, onSpot }: Props): JSX.Element | null {
  const first = report.headline.first;
  if (first === null) return null;
  const key = findingOf(listed, first.rule);
  const [lead, rest] = leadSentence(first.text);
  const { human, spot } = key === null ? shownByAdvice(report, first.text) : NOTHING;
  return (
    <div class="action">
      <span class="label">First</span>
      <span class="advice">
        <b>
          <Sentence text={lead} />
        </b>
        <Sentence text={rest} />
        {human !== null && ` It is: ${human}.`}
      </span>
      {key !== null && (
        <button type="button" class="link" onClick={() => onOpen(key)}>
          Show evidence
        </button>
      )}
      {spot && (
        <button type="button" class="link" onClick={() => onSpot(spot)}>
          Show it on the timeline
        </button>
      )}
    </div>
  );
}

function FalseAlarms({ report, listed, onOpen }: Omit<Props, "onSpot">): JSX.Element | null {
  const alarms = report.headline.false_alarms;
  if (alarms.length === 0) return null;
  return (
    <div class="action">
      <span class="label">False alarms</span>
      <span class="pills">
        {alarms.map((alarm) => {
          const key = findingOf(listed, alarm.rule, alarm.text);
          const verdict = verdictOf(listed, key, "expected");
          const open = key === null ? null : () => onOpen(key);
          return <Pill key={alarm.rule + alarm.text} text={alarm.text} verdict={verdict} onOpen={open} />;
        })}
      </span>
    </div>
  );
}

/** The colour of the box's edge: that of what it advises, never an alarm for a healthy run. */
function edge(headline: Headline, listed: readonly Listed[]): string {
  if (headline.verdict === "undecided" || headline.verdict === "not_measured") return "undecided";
  return headline.first ? verdictOf(listed, findingOf(listed, headline.first.rule), "expected") : "expected";
}

export function HeadlineBlock(props: Props): JSX.Element {
  const { headline } = props.report;
  const open = headline.verdict === "undecided" || headline.verdict === "not_measured";
  const actions = headline.first !== null || headline.false_alarms.length > 0;
  return (
    <section class="headline" aria-label="Verdict">
      <div class="eyebrow-row">
        <span class="eyebrow">{open ? "What this trace shows" : "What bounds this run"}</span>
        <ConfidenceMeter confidence={headline.confidence} why={headline.why} />
      </div>
      <h1>
        <Sentence text={headline.text} />
      </h1>
      <Prose text={headline.detail} figures />
      {actions && (
        <div class={`actions edge-${edge(headline, props.listed)}`}>
          <First {...props} />
          <FalseAlarms {...props} />
        </div>
      )}
    </section>
  );
}
