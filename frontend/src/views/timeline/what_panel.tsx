import type { ComponentChildren, JSX } from "preact";
import type { EventAnswer, Explanation } from "../../api/timeline";
import type { EventRef, Timeline } from "../../api/types";
import { count, time } from "../../model/format";
import type { Story } from "../../model/timeline/story";
import { shortName } from "../../model/timeline/names";
import { CodeBlock } from "../../ui/code_block";
import { VerdictIcon } from "../../ui/icons";
import { Chip } from "../../ui/verdict";
import { Name, Sentence } from "../../ui/text";
import { Arguments } from "./arguments";
import { Latency } from "./latency";
import type { Chosen } from "./use_selection";

type Ready = Extract<EventAnswer, { state: "ready" }>;

const VERDICTS = {
  expected: ["expected", "Expected"],
  artefact: ["artifact", "Artefact"],
  avoidable: ["fix", "Avoidable"],
  depends: ["undecided", "Depends"],
} as const;

const KINDS: Readonly<Record<string, string>> = {
  source: "Python",
  module: "Module",
  annotation: "Annotation",
  operator: "Operator",
  launch: "Call",
  kernel: "GPU work",
};

export function Fact({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Of the finding that is about this very event, else of events of this name. */
function VerdictChip({ explanation, story }: { explanation: Explanation; story: Story | null }): JSX.Element {
  if (story) return <Chip verdict={story.verdict} />;
  const [verdict, word] = VERDICTS[explanation.verdict];
  return (
    <span class={`chip ${verdict}`}>
      <VerdictIcon verdict={verdict} />
      <span>{word}</span>
    </span>
  );
}

function Texts({ explanation }: { explanation: Explanation }): JSX.Element {
  return (
    <div class="prose">
      {explanation.what !== "" && (
        <p>
          <Sentence words text={explanation.what} />
        </p>
      )}
      {explanation.why !== "" && (
        <p>
          <Sentence words text={explanation.why} />
        </p>
      )}
      {explanation.problem !== "" && (
        <p>
          <b>A problem?</b> <Sentence words text={explanation.problem} />
        </p>
      )}
    </div>
  );
}

function decoded(explanation: Explanation): [string, string][] {
  const rows: [string, string | null][] = [
    ["Library", explanation.library],
    ["Operation", explanation.operation],
    ["Data type", explanation.dtype],
    ["Tile", explanation.tile],
    [
      "Tensor Cores",
      explanation.tensor_cores === null ? null : explanation.tensor_cores ? "used" : "not used",
    ],
    ["Collective", explanation.collective],
    ["Direction", explanation.direction],
    ["Merges", explanation.fused_ops.length > 0 ? explanation.fused_ops.join(", ") : null],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

function Numbers({ ready, timeline }: { ready: Ready; timeline: Timeline }): JSX.Element {
  const { details, explanation } = ready;
  const { event, stats, step } = details;
  const began = timeline.steps.find((each) => each.number === step && step !== null)?.start_us;
  return (
    <section>
      <h3>Numbers</h3>
      <dl class="tl-facts">
        <Fact label="Duration">{time(event.duration_us)}</Fact>
        {details.self_us !== event.duration_us && <Fact label="Of it, its own">{time(details.self_us)}</Fact>}
        {began !== undefined ? (
          <Fact label={`Starts in step ${step} at`}>{time(event.start_us - began)}</Fact>
        ) : (
          <Fact label="Starts at">{time(event.start_us)}</Fact>
        )}
        {details.launched_count > 0 && (
          <Fact label="Launches">
            {count(details.launched_count)} × on the GPU, {time(details.launched_us)}
          </Fact>
        )}
        <Fact label="Same name in this file">
          {count(stats.count)} ×, {time(stats.total_us)}
        </Fact>
        {stats.averaged_median_us !== null && (
          <Fact label="In the averaged steps">
            {count(stats.averaged_count)} ×, median {time(stats.averaged_median_us)}
          </Fact>
        )}
        {decoded(explanation).map(([label, value]) => (
          <Fact key={label} label={label}>
            <Name text={value} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}

interface LinkProps {
  event: EventRef;
  label: string;
  here: boolean;
  onShow: (event: EventRef) => void;
}

function ChainRow({ event, label, here, onShow }: LinkProps): JSX.Element {
  return (
    <li class={here ? "here" : ""}>
      <span class="dim">{label}</span>
      <button type="button" class="tl-link" disabled={here} title={event.name} onClick={() => onShow(event)}>
        <bdi>{shortName(event.name)}</bdi> <small>{time(event.duration_us)}</small>
      </button>
    </li>
  );
}

function Chain({ ready, onShow }: { ready: Ready; onShow: (event: EventRef) => void }): JSX.Element | null {
  const { chain, event, module, forward, launched, launched_count } = ready.details;
  const more = launched_count - launched.length;
  if (chain.length === 0 && launched.length === 0) return null;
  return (
    <section>
      <h3>How it came about</h3>
      {module !== null && <p class="hint">In module {module}</p>}
      <ol class="tl-chain">
        {chain.map((link) => (
          <ChainRow
            key={link.kind}
            event={link.event}
            label={KINDS[link.kind] ?? link.kind}
            here={link.event.event === event.event}
            onShow={onShow}
          />
        ))}
        {forward && <ChainRow event={forward} label="Forward" here={false} onShow={onShow} />}
      </ol>
      {launched.length > 0 && (
        <details>
          <summary>Launched on the GPU: {count(launched_count)}</summary>
          <ol class="tl-chain">
            {launched.map((work) => (
              <ChainRow key={work.event} event={work} label="GPU work" here={false} onShow={onShow} />
            ))}
          </ol>
          {more > 0 && <p class="hint">and {count(more)} more</p>}
        </details>
      )}
    </section>
  );
}

function Nothing(): JSX.Element {
  return (
    <p class="hint">
      Press a rectangle, or reach it with the arrow keys, and this panel says what it is, where it comes from,
      and whether it is a problem.
    </p>
  );
}

interface Props {
  file: string;
  chosen: Chosen;
  timeline: Timeline;
  /** The finding that the event is evidence of. */
  story: Story | null;
  onShow: (event: EventRef) => void;
}

/** What one rectangle is: its human name, its own, what it does, why it is there, where it comes from. */
export function WhatPanel({ file, chosen, timeline, story, onShow }: Props): JSX.Element {
  const { answer: ready, event, problem } = chosen;
  return (
    <aside class="tl-panel" aria-label="What is this?" tabIndex={0}>
      <header>
        <span class="eyebrow">What is this?</span>
        {ready && <VerdictChip explanation={ready.explanation} story={story} />}
      </header>
      {event === null && <Nothing />}
      {event !== null && problem !== null && (
        <p class="hint">
          Event {event} cannot be shown: {problem}.
        </p>
      )}
      {event !== null && !ready && problem === null && <p class="hint">Asking…</p>}
      {ready && (
        <>
          <h2>
            <bdi>{ready.explanation.human}</bdi>
          </h2>
          <CodeBlock text={ready.details.full_name} class="narrow" />
          {story && (
            <p class="tl-here">
              <span class={`tl-number ${story.verdict}`}>{story.number}</span>
              <span>
                <Sentence text={story.finding.title} />
              </span>
            </p>
          )}
          <Texts explanation={ready.explanation} />
          <Latency details={ready.details} parts={timeline.latency_parts} />
          <Numbers ready={ready} timeline={timeline} />
          <Chain ready={ready} onShow={onShow} />
          <Arguments key={event} file={file} event={ready.details.event.event} />
        </>
      )}
    </aside>
  );
}
