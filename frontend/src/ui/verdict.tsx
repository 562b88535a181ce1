import type { JSX } from "preact";
import type { Confidence, Verdict } from "../api/types";
import { WORDS } from "../model/glossary";
import { VerdictIcon } from "./icons";
import { Sentence } from "./text";

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  fix: "Worth fixing",
  expected: "Expected",
  artifact: "Artefact",
  undecided: "Undecided",
};

export function Chip({ verdict }: { verdict: Verdict }): JSX.Element {
  return (
    <span class={`chip ${verdict}`} title={verdict === "artifact" ? WORDS.artefact : undefined}>
      <VerdictIcon verdict={verdict} />
      <span>{VERDICT_WORDS[verdict]}</span>
    </span>
  );
}

/** A false alarm; pressing it opens the finding that explains it. */
export function Pill(props: { text: string; verdict: Verdict; onOpen: (() => void) | null }): JSX.Element {
  const body = (
    <>
      <VerdictIcon verdict={props.verdict} />
      <bdi class="name">
        <Sentence text={props.text} />
      </bdi>
    </>
  );
  const word = VERDICT_WORDS[props.verdict].toLowerCase();
  const meaning = props.verdict === "artifact" ? `\n${WORDS.artefact}` : "";
  const title = `${props.text}: ${word}${meaning}`;
  if (props.onOpen === null) return <span class={`pill ${props.verdict}`}>{body}</span>;
  return (
    <button type="button" class={`pill ${props.verdict}`} title={title} onClick={props.onOpen}>
      {body}
    </button>
  );
}

const LEVELS: Readonly<Record<Confidence, [number, string]>> = {
  clear: [3, "Clear"],
  likely: [2, "Likely"],
  undecided: [1, "Undecided"],
};

/** Three bars, the word they stand for, and why. */
export function ConfidenceMeter({ confidence, why }: { confidence: Confidence; why: string }): JSX.Element {
  const [level, word] = LEVELS[confidence];
  return (
    <span class="confidence">
      <span class="meter" aria-hidden="true">
        {[1, 2, 3].map((bar) => (
          <i key={bar} class={bar <= level ? "on" : ""} />
        ))}
      </span>
      <span>
        <span class="visually-hidden">Confidence: </span>
        {why === "" ? word : `${word}: `}
        <Sentence words text={why} />
      </span>
    </span>
  );
}
