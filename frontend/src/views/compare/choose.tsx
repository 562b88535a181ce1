import type { JSX } from "preact";
import type { RunsAnswer } from "../../api/answers";
import type { Picked } from "../../model/files";
import { fileLabel, others } from "../../model/sides";
import { Name } from "../../ui/text";
import { State } from "../states";

const MOST = 8;

interface Props {
  answer: RunsAnswer;
  page: Picked;
  /** The address names a file that is not there any more. */
  gone: boolean;
  onPick: (id: string) => void;
}

/** Nothing is compared until the reader says with what: it costs an analysis. */
export function Choose({ answer, page, gone, onPick }: Props): JSX.Element {
  const found = others(answer, page);
  if (found.length === 0) {
    return (
      <State eyebrow="Compare" title="There is no other file to compare with">
        <p>Record a second run into the same log directory: it appears here within seconds.</p>
      </State>
    );
  }
  return (
    <State eyebrow="Compare" title="Compare this file with which other one?">
      <p>
        {gone && "The file that the address names is not there any more. "}
        <Name text={page.run.name} /> is on the page and becomes the candidate; what you choose is the
        baseline.
      </p>
      <ul class="choices">
        {found.slice(0, MOST).map((entry) => (
          <li key={entry.file.id}>
            <button type="button" class="choice" onClick={() => onPick(entry.file.id)}>
              <Name text={entry.run.name} />
              <span class="dim">
                <Name text={fileLabel(entry)} mono />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST && <p>All others are in the list above, under “Compare with”.</p>}
    </State>
  );
}
