import type { JSX } from "preact";
import type { Question } from "../../model/questions";
import type { Spans } from "../../api/types";
import { MiniTimeline } from "../../ui/mini_timeline";
import { Chevron } from "../../ui/icons";
import { Name, Prose } from "../../ui/text";
import { Chip } from "../../ui/verdict";

interface FiguresProps {
  figures: Question["figures"];
  /** What names of the trace are called for people. */
  human: ReadonlyMap<string, string>;
}

function Figures({ figures, human }: FiguresProps): JSX.Element | null {
  if (figures.length === 0) return null;
  return (
    <table class="answer-figures">
      <tbody>
        {figures.map(([label, figure]) => (
          <tr key={label}>
            <th scope="row">
              {human.has(label) && <span class="human">{human.get(label)}</span>}
              <Name text={label} mono={human.has(label)} />
            </th>
            <td class="num">{figure}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Props {
  question: Question;
  human: ReadonlyMap<string, string>;
  /** Events that the answer rests on. */
  lanes: readonly Spans[];
  open: boolean;
  onToggle: () => void;
  onShow: () => void;
  /** Null: no event of the timeline shows it. */
  onTimeline: (() => void) | null;
}

/** One question; open, its answer. */
export function QuestionRow({
  question,
  human,
  lanes,
  open,
  onToggle,
  onShow,
  onTimeline,
}: Props): JSX.Element {
  const body = `question-${question.id}`;
  return (
    <article class={open ? "question open" : "question"}>
      <h2>
        <button
          type="button"
          class="question-head"
          aria-expanded={open}
          aria-controls={body}
          onClick={onToggle}
        >
          <span class="title">{question.question}</span>
          <Chip verdict={question.verdict} />
          <Chevron />
        </button>
      </h2>
      <div id={body} hidden={!open}>
        {open && (
          <div class="answer">
            {question.answer.map((text, index) => (
              <Prose key={index} text={text} figures />
            ))}
            <MiniTimeline lanes={lanes} verdict={question.verdict} />
            <Figures figures={question.figures} human={human} />
            {question.advice !== "" && (
              <div class="advice">
                <b>What to do</b> <Prose text={question.advice} />
              </div>
            )}
            {question.show !== null && (
              <button type="button" class="link show-me" onClick={onShow}>
                Show me {"step" in question.show ? "the step" : "the evidence"} on the Overview
              </button>
            )}
            {onTimeline !== null && (
              <button type="button" class="link show-me" onClick={onTimeline}>
                On the timeline
              </button>
            )}
          </div>
        )}
      </div>
    </article>
  );
}
