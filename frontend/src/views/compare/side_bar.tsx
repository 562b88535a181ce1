import type { JSX } from "preact";
import type { RunsAnswer } from "../../api/answers";
import type { SideName } from "../../api/types";
import { byId, type Picked } from "../../model/files";
import { fileLabel, LETTERS } from "../../model/sides";
import { Picker } from "../../ui/picker";
import { Name } from "../../ui/text";

const WORDS: Readonly<Record<SideName, string>> = { baseline: "baseline", candidate: "candidate" };

interface OtherProps {
  answer: RunsAnswer;
  page: Picked;
  other: Picked | null;
  onPick: (id: string) => void;
}

/** The run and the file that the one on the page is compared with. */
function Other({ answer, page, other, onPick }: OtherProps): JSX.Element {
  const runs = answer.runs.filter((run) => run.files.length > 0);
  const files = other?.run.files ?? [];
  const pickRun = (name: string): void => {
    const run = runs.find((entry) => entry.name === name);
    const same = run?.files.find((file) => file.worker === page.worker && file.id !== page.file.id);
    const file = same ?? run?.files[0];
    if (file) onPick(file.id);
  };
  const runOptions = runs.map((run) => ({ value: run.name, label: run.name }));
  const choice = other ? runOptions : [{ value: "", label: "choose a run" }, ...runOptions];
  const fileOptions = files.map((file) => {
    const picked = byId(answer, file.id);
    const self = file.id === page.file.id ? " (the file on the page itself)" : "";
    return { value: file.id, label: picked ? fileLabel(picked) : file.file, note: self };
  });
  return (
    <>
      <Picker label="Compare with" value={other?.run.name ?? ""} options={choice} onPick={pickRun} />
      {other && <Picker label="File" mono value={other.file.id} options={fileOptions} onPick={onPick} />}
    </>
  );
}

function Tag({ side }: { side: SideName }): JSX.Element {
  return (
    <span class="side-tag">
      <b class={`side-letter ${side}`}>{LETTERS[side]}</b> {WORDS[side]}
    </span>
  );
}

function Page({ page }: { page: Picked }): JSX.Element {
  return (
    <span class="picker" title={`${page.file.file}\nThe file on the page; the bar above changes it.`}>
      <span class="key">On the page</span>
      <Name text={page.run.name} />
      <Name text={page.file.file} mono />
    </span>
  );
}

interface Props extends OtherProps {
  /** Which side the file on the page is. */
  side: SideName;
  onSwap: () => void;
}

/** Which file is which side; the baseline stands first. */
export function SideBar({ side, onSwap, ...props }: Props): JSX.Element {
  const page = <Page page={props.page} />;
  const other = <Other {...props} />;
  return (
    <div class="side-bar" role="group" aria-label="The two runs">
      <div class="side">
        <Tag side="baseline" />
        {side === "baseline" ? page : other}
      </div>
      <button
        type="button"
        class="tool"
        title="Exchange the two sides (x)"
        aria-label="Exchange the two sides"
        onClick={onSwap}
      >
        ⇄
      </button>
      <div class="side">
        <Tag side="candidate" />
        {side === "candidate" ? page : other}
      </div>
    </div>
  );
}
