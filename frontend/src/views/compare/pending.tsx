import type { JSX } from "preact";
import type { CompareAnswer, Working } from "../../api/answers";
import { LETTERS, type Sides } from "../../model/sides";
import { Name } from "../../ui/text";
import { Phases, Progress, State, type Phase } from "../states";

const PHASES: readonly Phase[] = [
  ["reading the baseline", "Read the baseline"],
  ["reading the candidate", "Read the candidate"],
  ["comparing", "Match steps and kernels"],
];

function Names({ sides }: { sides: Sides }): JSX.Element {
  return (
    <>
      <Name text={sides.baseline.run.name} /> → <Name text={sides.candidate.run.name} />
    </>
  );
}

function WorkingView({ answer, sides }: { answer: Working; sides: Sides }): JSX.Element {
  return (
    <State eyebrow="Comparing" title={<Names sides={sides} />}>
      <p>
        {answer.elapsed_s.toFixed(1)}
        {"\u202f"}s so far
      </p>
      <Progress share={answer.share} />
      <Phases answer={answer} phases={PHASES} />
    </State>
  );
}

interface ErrorProps {
  answer: Extract<CompareAnswer, { state: "error" }>;
  sides: Sides;
  onRetry: () => void;
}

function ErrorView({ answer, sides, onRetry }: ErrorProps): JSX.Element {
  const { error, side } = answer;
  const broken = side === null ? null : sides[side];
  const eyebrow = side === null ? "Cannot be compared" : `The ${side} (${LETTERS[side]}) cannot be read`;
  return (
    <State eyebrow={eyebrow} title={<Name text={error.file ?? broken?.file.file ?? "Both files"} />}>
      <p class="error-text">
        <bdi>{error.message}</bdi>
        {error.position !== null && <span class="dim"> ({error.position})</span>}
      </p>
      <p>
        {side === null ? "Another pair can be chosen above." : "Choose another file for this side above."}
      </p>
      <p>
        <button type="button" class="button" onClick={onRetry}>
          Compare again
        </button>
      </p>
    </State>
  );
}

interface Props {
  answer: Exclude<CompareAnswer, { state: "ready" }> | null;
  sides: Sides;
  onRetry: () => void;
}

/** A comparison that is not there (yet). */
export function Pending({ answer, sides, onRetry }: Props): JSX.Element {
  if (answer?.state === "error") return <ErrorView answer={answer} sides={sides} onRetry={onRetry} />;
  if (answer?.state === "working") return <WorkingView answer={answer} sides={sides} />;
  const ahead = answer?.position ?? null;
  return (
    <State brief={answer === null} eyebrow={answer ? "Queued" : "Comparing"} title={<Names sides={sides} />}>
      <p>
        {answer
          ? `Waiting for its turn${ahead === null ? "" : `: number ${ahead} in the queue`}.`
          : "Asking."}
      </p>
    </State>
  );
}
