// Text out of a trace. It is always a text node, kept apart from the direction of what is around it.

import { Fragment, type JSX } from "preact";
import { WORD_PATTERN, WORDS, wordOf } from "../model/glossary";
import { blocks, inlines } from "../model/prose";
import { CodeBlock } from "./code_block";
import { Term } from "./term";

const TITLE_LENGTH = 2000;

/** A name that may be long, right-to-left or odd: one line, cut off at the end, whole in its tooltip. */
export function Name({ text, mono = false }: { text: string; mono?: boolean }): JSX.Element {
  return (
    <bdi class={mono ? "name mono" : "name"} title={text.slice(0, TITLE_LENGTH)}>
      {text}
    </bdi>
  );
}

/** Text whose first word of the glossary has its meaning at hand. */
function Explained({ text }: { text: string }): JSX.Element {
  const match = WORD_PATTERN.exec(text);
  const word = match && wordOf(match[1] ?? "");
  if (!match || !word) return <>{text}</>;
  const end = match.index + match[0].length;
  return (
    <>
      {text.slice(0, match.index)}
      <Term meaning={WORDS[word]}>{match[0]}</Term>
      {text.slice(end)}
    </>
  );
}

interface SentenceProps {
  text: string;
  figures?: boolean;
  /** Explains words; not inside of buttons, which cannot hold anything that takes the focus. */
  words?: boolean;
}

/** One sentence or more, with `code`; figures stand out where asked. */
export function Sentence({ text, figures = false, words = false }: SentenceProps): JSX.Element {
  return (
    <>
      {inlines(text).map((part, index) => {
        if (part.kind === "code") return <code key={index}>{part.text}</code>;
        if (part.kind === "figure" && figures) return <b key={index}>{part.text}</b>;
        return words ? (
          <Explained key={index} text={part.text} />
        ) : (
          <Fragment key={index}>{part.text}</Fragment>
        );
      })}
    </>
  );
}

/** Paragraphs and code. */
export function Prose({ text, figures = false }: { text: string; figures?: boolean }): JSX.Element {
  return (
    <div class="prose">
      {blocks(text).map((block, index) =>
        block.kind === "code" ? (
          <CodeBlock key={index} text={block.text} />
        ) : (
          <p key={index}>
            <Sentence words text={block.text} figures={figures} />
          </p>
        ),
      )}
    </div>
  );
}
