import type { JSX, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { searchAddress, type SearchAnswer } from "../../api/timeline";
import type { EventRef } from "../../api/types";
import { count, plural, time } from "../../model/format";
import { useAnswer } from "../../state/timeline/use_answer";
import { Name } from "../../ui/text";

const DELAY_MS = 200;
const LIMIT = 30;
const LONGEST = 256;

interface Props {
  file: string;
  field: RefObject<HTMLInputElement | null>;
  query: string;
  onQuery: (text: string) => void;
  /** Where the next event is looked for, µs. */
  after_us: number;
  onShow: (event: EventRef) => void;
  onLeave: () => void;
}

/** The text once it has not changed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), DELAY_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return rested;
}

function Results({ answer, onShow }: { answer: SearchAnswer | null; onShow: Props["onShow"] }): JSX.Element {
  if (answer?.state !== "ready") return <p class="hint">Looking…</p>;
  const { names, names_found, events_found } = answer.result;
  if (names_found === 0) return <p class="hint">No name in this file contains it.</p>;
  return (
    <>
      <p class="hint">
        {plural(names_found, "name")}, {plural(events_found, "event")}. ↵ shows the next one.
      </p>
      <ul>
        {names.map((entry) => (
          <li key={`${entry.category} ${entry.name}`}>
            <button type="button" onClick={() => onShow(entry.first)}>
              <Name text={entry.name} />
              <span class="num dim">{count(entry.count)} ×</span>
              <span class="num">{time(entry.total_us)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Finds names; events of what is found are framed on the drawing. */
export function SearchBox(props: Props): JSX.Element {
  const { file, field, query, onQuery, after_us, onShow, onLeave } = props;
  const [open, setOpen] = useState(false);
  const rested = useRested(query);
  const after_ns = Math.round(after_us * 1000);
  const names = useAnswer<SearchAnswer>(
    rested === "" ? null : searchAddress(file, { text: rested, limit: LIMIT, after_ns: null }),
  );
  const next = useAnswer<SearchAnswer>(
    rested === "" ? null : searchAddress(file, { text: rested, limit: 1, after_ns }),
  );
  const follow = (): void => {
    const found = next.answer?.state === "ready" ? next.answer.result.events[0] : undefined;
    const first = names.answer?.state === "ready" ? names.answer.result.names[0]?.first : undefined;
    const target = found ?? first;
    if (target && rested === query) onShow(target);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") follow();
    else if (event.key === "Escape") {
      setOpen(false);
      onLeave();
    } else return;
    event.preventDefault();
  };
  return (
    <search
      class="tl-search"
      onFocusIn={() => setOpen(true)}
      onFocusOut={(event) => {
        const to = event.relatedTarget as Node | null;
        if (!event.currentTarget.contains(to)) setOpen(false);
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Search names on the timeline"
        placeholder="Search names…"
        maxLength={LONGEST}
        value={query}
        onInput={(event) => onQuery((event.target as HTMLInputElement).value)}
        onKeyDown={press}
      />
      <kbd aria-hidden="true">/</kbd>
      {open && rested !== "" && (
        <div class="tl-results" role="region" aria-label="Names found" aria-live="polite">
          {names.problem === null ? (
            <Results answer={names.answer} onShow={onShow} />
          ) : (
            <p class="hint">The search failed: {names.problem}.</p>
          )}
        </div>
      )}
    </search>
  );
}
