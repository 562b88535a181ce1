import type { JSX, RefObject } from "preact";
import type { EventAnswer, Explanation } from "../../api/timeline";
import type { EventRef, Timeline } from "../../api/types";
import { count, time } from "../../model/format";
import type { Listed } from "../../model/findings";
import { shortName } from "../../model/timeline/names";
import type { Shaded } from "../../model/timeline/shaded";
import { CodeBlock } from "../../ui/code_block";
import { Name } from "../../ui/text";
import { Arguments } from "./arguments";
import { Latency } from "./latency";
import { Fact, FindingLine, KnownVerdict, Texts } from "./panel_parts";
import { ShadedPanel } from "./shaded_panel";
import type { Chosen } from "./use_selection";

type Ready = Extract<EventAnswer, { state: "ready" }>;

const KINDS: Readonly<Record<string, string>> = {
  source: "Python",
  module: "Module",
  annotation: "Annotation",
  operator: "Operator",
  launch: "Call",
  kernel: "GPU work",
};

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

interface BeginProps {
  details: Ready["details"];
  steps: Timeline["steps"];
  onGpu: boolean;
}

/** Work on the GPU belongs to the step that launched it, and may start in a later one. */
function Begin({ details, steps, onGpu }: BeginProps): JSX.Element {
  const { event, step, launch } = details;
  const began = steps.find((each) => each.number === step && step !== null)?.start_us;
  if (began === undefined) return <Fact label="Starts at">{time(event.start_us)}</Fact>;
  if (!onGpu) return <Fact label={`Starts in step ${step} at`}>{time(event.start_us - began)}</Fact>;
  return (
    <>
      <Fact label={launch ? `Launched in step ${step} at` : `Launched in step`}>
        {launch ? time(launch.call.start_us - began) : step}
      </Fact>
      <Fact label="Starts, from that step’s start">{time(event.start_us - began)}</Fact>
    </>
  );
}

function Numbers({ ready, timeline }: { ready: Ready; timeline: Timeline }): JSX.Element {
  const { details, explanation } = ready;
  const { event, stats } = details;
  return (
    <section>
      <h3>Numbers</h3>
      <dl class="tl-facts">
        <Fact label="Duration">{time(event.duration_us)}</Fact>
        {details.self_us !== event.duration_us && <Fact label="Of it, its own">{time(details.self_us)}</Fact>}
        <Begin
          details={details}
          steps={timeline.steps}
          onGpu={timeline.lanes[event.lane]?.kind === "stream"}
        />
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

interface AboutProps {
  file: string;
  chosen: Chosen;
  timeline: Timeline;
  /** The finding about it. */
  finding: JSX.Element | null;
  onShow: (event: EventRef) => void;
}

function AboutEvent({ file, chosen, timeline, finding, onShow }: AboutProps): JSX.Element {
  const { answer: ready, event, problem } = chosen;
  return (
    <>
      <header>
        <span class="eyebrow">What is this?</span>
        {ready && <KnownVerdict verdict={ready.explanation.verdict} />}
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
          {finding}
          <Texts {...ready.explanation} />
          <Latency details={ready.details} parts={timeline.latency_parts} />
          <Numbers ready={ready} timeline={timeline} />
          <Chain ready={ready} onShow={onShow} />
          <Arguments key={event} file={file} event={ready.details.event.event} />
        </>
      )}
    </>
  );
}

interface Props extends Omit<AboutProps, "finding"> {
  /** A shaded part that is chosen in place of an event. */
  shaded: Shaded | null;
  /** The finding about what is chosen, and its number in the list above the drawing. */
  about: { entry: Pick<Listed, "key" | "finding">; number: number | null } | null;
  onFinding: (key: string) => void;
  panel: RefObject<HTMLElement | null>;
}

/** What is chosen: its human name, its own, what it does, why it is there, where it comes from. */
export function WhatPanel({ shaded, about, onFinding, panel, ...rest }: Props): JSX.Element {
  const { entry, number } = about ?? { entry: null, number: null };
  const finding = entry && (
    <FindingLine
      number={number}
      title={entry.finding.title}
      verdict={entry.finding.verdict}
      onShow={() => onFinding(entry.key)}
    />
  );
  return (
    <aside ref={panel} class="tl-panel" aria-label="What is this?" tabIndex={0}>
      {shaded ? (
        <ShadedPanel shaded={shaded} timeline={rest.timeline} finding={finding} />
      ) : (
        <AboutEvent {...rest} finding={finding} />
      )}
    </aside>
  );
}
