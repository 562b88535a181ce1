import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { argumentsAddress, type ArgumentsAnswer } from "../../api/timeline";
import { plural } from "../../model/format";
import { useAnswer } from "../../state/timeline/use_answer";

function Listed({ answer }: { answer: ArgumentsAnswer | null }): JSX.Element {
  if (answer?.state === "error") return <p class="hint">{answer.error.message}</p>;
  if (answer?.state !== "ready") return <p class="hint">Reading them from the file…</p>;
  const { arguments: found, left_out } = answer.args;
  if (found.length === 0) return <p class="hint">The event has none.</p>;
  return (
    <>
      <dl class="tl-arguments">
        {found.map(({ name, value, whole }, index) => (
          <div key={index}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <bdi>{value}</bdi>
              {whole ? "" : "… (cut)"}
            </dd>
          </div>
        ))}
      </dl>
      {left_out > 0 && <p class="hint">and {plural(left_out, "more argument")}</p>}
    </>
  );
}

/** What the profiler noted of an event; read from the file once it is opened. */
export function Arguments({ file, event }: { file: string; event: number }): JSX.Element {
  const [open, setOpen] = useState(false);
  const { answer, problem } = useAnswer<ArgumentsAnswer>(open ? argumentsAddress(file, event) : null);
  return (
    <details onToggle={(toggled) => setOpen((toggled.target as HTMLDetailsElement).open)}>
      <summary>Arguments</summary>
      {problem === null ? <Listed answer={answer} /> : <p class="hint">They cannot be read: {problem}.</p>}
    </details>
  );
}
