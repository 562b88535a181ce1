// What the page says where there is no report to show.

import type { ComponentChildren, JSX } from "preact";
import type { ReadError, ReportAnswer, RunsAnswer, TraceFile, Working } from "../api/answers";
import { bytes } from "../model/format";
import { RECIPE } from "../model/recipe";
import { CodeBlock } from "../ui/code_block";
import { Name } from "../ui/text";

interface StateProps {
  eyebrow: string;
  title: ComponentChildren;
  /** Mostly over in a moment: shown only if it is not. */
  brief?: boolean;
  children: ComponentChildren;
}

export function State(props: StateProps): JSX.Element {
  return (
    <div class="wrap">
      <section class={props.brief ? "card state brief" : "card state"}>
        <span class="eyebrow">{props.eyebrow}</span>
        <h1>{props.title}</h1>
        {props.children}
      </section>
    </div>
  );
}

export function Unreached({ problem, onRetry }: { problem: string; onRetry: () => void }): JSX.Element {
  return (
    <State eyebrow="No connection" title="TensorBoard does not answer">
      <p>
        The last request failed: {problem}. Check that TensorBoard still runs and that this page’s address is
        right. It is asked again every few seconds.
      </p>
      <p>
        <button type="button" class="button" onClick={onRetry}>
          Ask again now
        </button>
      </p>
    </State>
  );
}

export function Asking(): JSX.Element {
  return (
    <State brief eyebrow="Starting" title="Asking TensorBoard which traces there are">
      <p>This takes a moment. If nothing comes, the reason will be shown here.</p>
    </State>
  );
}

export function Empty({ answer }: { answer: RunsAnswer }): JSX.Element {
  const { logdirs, scanned, notes = [] } = answer;
  const where = logdirs.length === 0 ? "the log directory" : logdirs.join(", ");
  if (!scanned) {
    return (
      <State eyebrow="Looking" title={<>Looking for traces under {where}</>}>
        <p>The first look through the directory is not finished. Files appear here as soon as it is.</p>
      </State>
    );
  }
  return (
    <State eyebrow="Empty" title={<>No traces under {where} yet</>}>
      <p>
        Explain reads files whose name contains <code>trace</code> and ends in <code>.json</code> or{" "}
        <code>.json.gz</code>, in any directory below. It looks again every few seconds. These five lines
        record one:
      </p>
      <CodeBlock text={RECIPE} />
      {notes.map((note) => (
        <p key={note}>
          <bdi>{note}</bdi>
        </p>
      ))}
    </State>
  );
}

export function Gone(props: { newest: string; onShow: () => void }): JSX.Element {
  return (
    <State eyebrow="Not there" title="This file is not there any more">
      <p>The address names a file that was moved, renamed or deleted.</p>
      <p>
        <button type="button" class="button" onClick={props.onShow}>
          Show the newest one
        </button>{" "}
        <Name text={props.newest} mono />
      </p>
    </State>
  );
}

/** A phase as the server calls it, and in words. */
export type Phase = readonly [string, string];

const PHASES: readonly Phase[] = [
  ["reading", "Read and link the events"],
  ["analysing", "Work out what bounds the run"],
];

export function Progress({ share }: { share: number | null }): JSX.Element {
  const known = share === null ? {} : { "aria-valuenow": Math.round(share * 100) };
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={100}
      {...known}
    >
      <i
        class={share === null ? "unknown" : ""}
        style={{ width: share === null ? "100%" : `${share * 100}%` }}
      />
    </div>
  );
}

export function Phases({ answer, phases }: { answer: Working; phases: readonly Phase[] }): JSX.Element {
  const now = phases.findIndex(([phase]) => phase === answer.phase);
  return (
    <ol class="phases">
      {phases.map(([phase, words], index) => (
        <li
          key={phase}
          class={index < now ? "done" : index === now ? "now" : ""}
          aria-current={index === now}
        >
          {words}
          {index < now
            ? ": done"
            : index === now && answer.share !== null
              ? `: ${Math.round(answer.share * 100)}\u202f%`
              : ""}
        </li>
      ))}
    </ol>
  );
}

const LONG_S = 30;

function WorkingView({ answer, file }: { answer: Working; file: TraceFile }): JSX.Element {
  return (
    <State
      eyebrow="Loading"
      title={
        <>
          Reading <Name text={file.file} />
        </>
      }
    >
      <p>
        {bytes(file.bytes)} on disk · {answer.elapsed_s.toFixed(1)}
        {"\u202f"}s so far
      </p>
      <Progress share={answer.share} />
      <Phases answer={answer} phases={PHASES} />
      {answer.elapsed_s > LONG_S && (
        <p>
          Large traces take their time. It goes on when you leave this tab, and other files can be chosen
          meanwhile.
        </p>
      )}
    </State>
  );
}

function ErrorView({
  error,
  file,
  onRetry,
}: {
  error: ReadError;
  file: TraceFile;
  onRetry: () => void;
}): JSX.Element {
  return (
    <State eyebrow="Cannot be read" title={<Name text={error.file ?? file.file} />}>
      <p class="error-text">
        <bdi>{error.message}</bdi>
        {error.position !== null && <span class="dim"> ({error.position})</span>}
      </p>
      <p>The other files can still be chosen above.</p>
      <p>
        <button type="button" class="button" onClick={onRetry}>
          Read it again
        </button>
      </p>
    </State>
  );
}

interface PendingProps {
  answer: Exclude<ReportAnswer, { state: "ready" }> | null;
  file: TraceFile;
  onRetry: () => void;
}

/** A file whose report is not there (yet). */
export function Pending({ answer, file, onRetry }: PendingProps): JSX.Element {
  if (answer?.state === "error") return <ErrorView error={answer.error} file={file} onRetry={onRetry} />;
  if (answer?.state === "working") return <WorkingView answer={answer} file={file} />;
  const ahead = answer?.position ?? null;
  return (
    <State brief={answer === null} eyebrow={answer ? "Queued" : "Loading"} title={<Name text={file.file} />}>
      <p>
        {bytes(file.bytes)} on disk.{" "}
        {answer
          ? `Waiting for its turn${ahead === null ? "" : `: number ${ahead} in the queue`}.`
          : "Asking for its report."}
      </p>
    </State>
  );
}
