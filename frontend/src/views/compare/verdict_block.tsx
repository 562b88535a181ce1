import type { JSX } from "preact";
import type { Change, Comparison, ComparisonVerdict } from "../../api/types";
import { verdictGlyph, type VerdictGlyph } from "../../model/deltas";
import { Prose, Sentence } from "../../ui/text";

const WORDS: Readonly<Record<ComparisonVerdict, string>> = {
  faster: "Faster",
  slower: "Slower",
  within_noise: "Within noise",
  undecided: "Cannot say",
  not_comparable: "Not comparable",
};

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

function Axis({ glyph }: { glyph: VerdictGlyph }): JSX.Element {
  const limits = glyph.limits.map((limit) => limit.text).join(" and ");
  const text = limits === "" ? "no interval, as a side has one step" : `between ${limits}`;
  return (
    <div
      class={`verdict-axis ${glyph.told}`}
      role="img"
      aria-label={`Step pace: ${glyph.pointText}, ${text}`}
    >
      <span class="ends">
        <span>← faster</span>
        <span>0</span>
        <span>slower →</span>
      </span>
      <span class="track">
        <i class="zero" />
        <i class="range" style={{ left: percent(glyph.low), width: percent(glyph.high - glyph.low) }} />
        <i class="point" style={{ left: percent(glyph.point) }} />
      </span>
      <span class="limits">
        {glyph.limits.map((limit) => (
          <span key={limit.text} style={{ left: percent(limit.at) }}>
            {limit.text}
          </span>
        ))}
      </span>
      <span class="hint">
        Step pace: {glyph.pointText}
        {limits === "" && "; one step on a side gives no interval"}
      </span>
    </div>
  );
}

function ChangeView({ change }: { change: Change }): JSX.Element {
  return (
    <li class="change">
      <span class="dim">{change.what}</span>
      <bdi>{change.baseline}</bdi> → <bdi>{change.candidate}</bdi>
    </li>
  );
}

function Changes({ changes, confounded }: { changes: readonly Change[]; confounded: boolean }): JSX.Element {
  if (changes.length === 0) {
    return <p class="changes-none">Besides the figures, nothing that the two recordings tell of differs.</p>;
  }
  return (
    <div class="changes">
      <span class="label">{confounded ? "Changed at once" : "What changed"}</span>
      <ul>
        {changes.map((change) => (
          <ChangeView key={change.what} change={change} />
        ))}
      </ul>
      {confounded && <span class="confounded">The difference cannot be laid to one of them.</span>}
    </div>
  );
}

/** The answer, how sure it is, and what else differs. */
export function VerdictBlock({ comparison }: { comparison: Comparison }): JSX.Element {
  const { headline, deltas } = comparison;
  const glyph = headline.verdict === "not_comparable" ? null : verdictGlyph(deltas);
  return (
    <section class="headline compare-headline" aria-label="Verdict">
      <div>
        <div class="eyebrow-row">
          <span class={`chip compare-${headline.verdict}`}>{WORDS[headline.verdict]}</span>
        </div>
        <h1>
          <Sentence text={headline.text} />
        </h1>
        <Prose text={headline.detail} figures />
        <p class="hint">
          <Sentence text={headline.why} />
        </p>
      </div>
      {glyph && <Axis glyph={glyph} />}
      <Changes changes={headline.changes} confounded={headline.confounded} />
    </section>
  );
}
