import type { JSX } from "preact";
import type { Report, RuleOutcome } from "../../api/types";
import { count, plural, sentence } from "../../model/format";
import type { Listed } from "../../model/findings";
import { FindingRow, type Shows } from "./finding_row";

function Quiet({ rules }: { rules: readonly RuleOutcome[] }): JSX.Element | null {
  if (rules.length === 0) return null;
  const asked = rules.length === 1 ? "question was asked" : "questions were asked";
  return (
    <details>
      <summary>
        {count(rules.length)} other {asked} and found nothing to tell
      </summary>
      <ul class="titles">
        {rules.map((rule) => (
          <li key={rule.rule}>{rule.title}</li>
        ))}
      </ul>
    </details>
  );
}

function Unchecked(props: { rules: readonly RuleOutcome[]; about: string }): JSX.Element | null {
  const { rules, about } = props;
  if (rules.length === 0) return null;
  return (
    <details>
      <summary>
        {plural(rules.length, "question")} could not be answered from this {about}
      </summary>
      <ul>
        {rules.map((rule) => (
          <li key={rule.rule}>
            <b>{rule.title}.</b> {rule.outcome === "failed" ? "The rule failed: " : ""}
            {sentence(rule.reason ?? "no reason was given")}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The finding that the page was asked to show, and how often it was asked; 0: by the address. */
export interface Reveal {
  key: string | null;
  times: number;
}

interface Props {
  report: Pick<Report, "rules">;
  /** What the findings are about: `trace`, `pair`. */
  about?: string;
  listed: readonly Listed[];
  opened: string | null;
  reveal: Reveal;
  /** How evidence leads to the timeline; without it, it does not. */
  shows?: Shows | null;
  onToggle: (key: string) => void;
}

export function FindingsCard({
  report,
  about = "trace",
  listed,
  opened,
  reveal,
  shows = null,
  onToggle,
}: Props): JSX.Element {
  const quiet = report.rules.filter((rule) => rule.outcome === "quiet");
  const unchecked = report.rules.filter(
    (rule) => rule.outcome === "not_measured" || rule.outcome === "failed",
  );
  return (
    <section class="card findings" aria-label="Findings">
      <header>
        <h2>Findings</h2>
        <span class="hint">by time at stake</span>
        <span class="spacer" />
        <span class="hint keys-hint" aria-hidden="true">
          <kbd>n</kbd> next <kbd>↵</kbd> open
        </span>
      </header>
      {listed.length === 0 && <p class="none">No rule found anything to tell about this {about}.</p>}
      {listed.map((entry) => (
        <FindingRow
          key={entry.key}
          entry={entry}
          open={entry.key === opened}
          reveal={entry.key === reveal.key ? reveal.times : null}
          shows={shows}
          onToggle={() => onToggle(entry.key)}
        />
      ))}
      {quiet.length + unchecked.length > 0 && (
        <footer>
          <Quiet rules={quiet} />
          <Unchecked rules={unchecked} about={about} />
        </footer>
      )}
    </section>
  );
}
