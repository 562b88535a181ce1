import type { ComponentChildren, JSX } from "preact";
import type { Explanation } from "../../api/timeline";
import type { Verdict } from "../../api/types";
import { VerdictIcon } from "../../ui/icons";
import { Sentence } from "../../ui/text";
import { Chip } from "../../ui/verdict";

const VERDICTS = {
  expected: ["expected", "Expected"],
  artefact: ["artifact", "Artefact"],
  avoidable: ["fix", "Avoidable"],
  depends: ["undecided", "Depends"],
} as const;

export function Fact({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Of everything of this kind; what a finding says of this one stands beside it. */
export function KnownVerdict({ verdict: known }: { verdict: Explanation["verdict"] }): JSX.Element {
  const [verdict, word] = VERDICTS[known];
  return (
    <span class={`chip ${verdict}`}>
      <VerdictIcon verdict={verdict} />
      <span>{word}</span>
    </span>
  );
}

/** What something is, why it is there, and whether it is a problem. */
export function Texts({
  what,
  why = "",
  problem,
}: Record<"what" | "problem", string> & { why?: string }): JSX.Element {
  return (
    <div class="prose">
      {[what, why].map(
        (text, index) =>
          text !== "" && (
            <p key={index}>
              <Sentence words text={text} />
            </p>
          ),
      )}
      {problem !== "" && (
        <p>
          <b>A problem?</b> <Sentence words text={problem} />
        </p>
      )}
    </div>
  );
}

interface FindingProps {
  /** Its number in the list above the drawing; null: it has none there. */
  number: number | null;
  title: string;
  verdict: Verdict;
  onShow: () => void;
}

/** The finding about what is chosen, with its own verdict; pressing it leads there. */
export function FindingLine({ number, title, verdict, onShow }: FindingProps): JSX.Element {
  return (
    <p class="tl-here">
      <Chip verdict={verdict} />
      <button type="button" class="tl-link" title="Show the finding on the Overview" onClick={onShow}>
        {number === null ? "Finding" : `Finding ${number}`}: <Sentence text={title} />{" "}
        <span aria-hidden="true">→</span>
      </button>
    </p>
  );
}
