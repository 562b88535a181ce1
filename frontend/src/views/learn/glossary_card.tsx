import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { NameEntry, Names, NamesAnswer } from "../../api/answers";
import { count, plural, time } from "../../model/format";
import { kindOf, kindOptions, search, verdictOf } from "../../model/names";
import type { Asked } from "../../state/use_asked";
import { Picker } from "../../ui/picker";
import { Sentence } from "../../ui/text";
import { Chip } from "../../ui/verdict";
import { useSearchWish } from "../../state/search_wish";
import { Progress } from "../states";

const FIRST_ROWS = 40;

function Detail({ entry }: { entry: NameEntry }): JSX.Element {
  const verdict = verdictOf(entry);
  return (
    <div class="entry-body">
      <p>
        <Sentence text={entry.what} />
      </p>
      {entry.why !== "" && (
        <p>
          <b>Why is it here?</b> <Sentence text={entry.why} />
        </p>
      )}
      {entry.problem !== "" && (
        <p>
          <b>Is it a problem?</b> <Sentence text={entry.problem} />
        </p>
      )}
      <p class="raw">
        {verdict !== null && <Chip verdict={verdict} />}
        <bdi class="mono whole">{entry.name}</bdi>
      </p>
    </div>
  );
}

function Entry({ entry }: { entry: NameEntry }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="entry" onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>
        <i class={`swatch fill-${kindOf(entry).fill}`} />
        <span class="entry-name">
          <span>
            <bdi class="human">{entry.human}</bdi>
            {entry.category === "gpu_annotation" && <span class="dim"> on the GPU’s lane</span>}
          </span>
          <bdi class="name mono dim" title={entry.name}>
            {entry.name}
          </bdi>
        </span>
        <span class="num">
          {time(entry.total_us)}
          <span class="dim">{count(entry.count)} ×</span>
        </span>
      </summary>
      {open && <Detail entry={entry} />}
    </details>
  );
}

function List({ names }: { names: Names }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState("");
  const [all, setAll] = useState(false);
  useSearchWish(() => field.current?.focus());
  const found = useMemo(() => search(names.entries, kind, query), [names, kind, query]);
  const options = kindOptions(names.entries).map(({ value, label, number }) => ({
    value,
    label: `${label} ${count(number)}`,
  }));
  const shown = all ? found : found.slice(0, FIRST_ROWS);
  return (
    <>
      <div class="search">
        <input
          ref={field}
          type="search"
          placeholder="Name, operator or meaning"
          aria-label="Search what this trace contains"
          value={query}
          onInput={(event) => setQuery((event.target as HTMLInputElement).value)}
        />
        <Picker
          label="Kind"
          value={kind}
          options={[{ value: "", label: "all" }, ...options]}
          onPick={setKind}
        />
      </div>
      <p class="hint found" role="status">
        {query === "" && kind === ""
          ? "The most time first; times of events inside one another count twice."
          : `${plural(found.length, "name")} found.`}
      </p>
      {shown.map((entry) => (
        <Entry key={`${entry.category} ${entry.name}`} entry={entry} />
      ))}
      {found.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {count(found.length - shown.length)} more
        </button>
      )}
      {names.left_out > 0 && (
        <p class="hint found">
          {plural(names.left_out, "name")} with less time {names.left_out === 1 ? "is" : "are"} not listed.
        </p>
      )}
    </>
  );
}

interface Props {
  asked: Asked<NamesAnswer>;
}

function Body({ asked }: Props): JSX.Element {
  const { answer, problem, gone, reload } = asked;
  if (answer?.state === "ready") return <List names={answer.names} />;
  if (answer?.state === "error" || problem !== null || gone) {
    const why =
      answer?.state === "error" ? answer.error.message : (problem ?? "the file is not there any more");
    return (
      <div class="found">
        <p>
          <bdi>{why}</bdi>
        </p>
        <button type="button" class="button" onClick={reload}>
          Ask again
        </button>
      </div>
    );
  }
  return (
    <div class="found">
      <p>{answer?.state === "queued" ? "Waiting for its turn." : "Reading the names of this trace."}</p>
      <Progress share={answer?.state === "working" ? answer.share : null} />
    </div>
  );
}

/** Every name of the trace, with what it is; to be searched by name or by meaning. */
export function GlossaryCard({ asked }: Props): JSX.Element {
  const names = asked.answer?.state === "ready" ? asked.answer.names : null;
  return (
    <aside class="card glossary" aria-label="Everything in this trace">
      <header>
        <h2>Everything in this trace</h2>
        {names && <span class="hint">{plural(names.entries.length + names.left_out, "name")}</span>}
      </header>
      <Body asked={asked} />
    </aside>
  );
}
