// Text out of a trace. It is always a text node, kept apart from the direction of what is around it.

import { Fragment, type JSX } from "preact";
import { blocks, inlines } from "../model/prose";

const TITLE_LENGTH = 2000;

/** A name that may be long, right-to-left or odd: one line, cut off at the end, whole in its tooltip. */
export function Name({ text, mono = false }: { text: string; mono?: boolean }): JSX.Element {
  return (
    <bdi class={mono ? "name mono" : "name"} title={text.slice(0, TITLE_LENGTH)}>
      {text}
    </bdi>
  );
}

/** One sentence or more, with `code`; figures stand out where asked. */
export function Sentence({ text, figures = false }: { text: string; figures?: boolean }): JSX.Element {
  return (
    <>
      {inlines(text).map((part, index) => {
        if (part.kind === "code") return <code key={index}>{part.text}</code>;
        if (part.kind === "figure" && figures) return <b key={index}>{part.text}</b>;
        return <Fragment key={index}>{part.text}</Fragment>;
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
          <pre key={index} tabIndex={0}>
            {block.text}
          </pre>
        ) : (
          <p key={index}>
            <Sentence text={block.text} figures={figures} />
          </p>
        ),
      )}
    </div>
  );
}
