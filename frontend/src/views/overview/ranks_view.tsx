import type { JSX } from "preact";
import type { RanksAnswer } from "../../api/answers";
import { plural } from "../../model/format";
import { ranksGrid, ranksNote } from "../../model/ranks";
import { useRanks } from "../../state/use_ranks";
import { GridTable } from "../../ui/grid_table";
import { Prose, Sentence } from "../../ui/text";

interface Props {
  file: string;
  /** The rank of the file on the page. */
  rank: number | null;
}

function pendingText(answer: RanksAnswer | null): string {
  const share = answer?.state === "working" && answer.share !== null ? answer.share : null;
  return `Reading the files of all ranks${share === null ? "" : `, ${Math.round(100 * share)}\u202f% done`}…`;
}

function Together({ answer, rank }: { answer: RanksAnswer; rank: number | null }): JSX.Element {
  if (answer.state === "error") return <p class="hint">{answer.error.message}</p>;
  if (answer.state !== "ready")
    return (
      <p class="hint" role="status">
        {pendingText(answer)}
      </p>
    );
  const { together, unread } = answer.ranks;
  return (
    <>
      {together.communication.length === 0 && unread.length === 0 && (
        <p class="hint">No other rank has a file of the same steps in this run.</p>
      )}
      {together.communication.map((cycle, index) => (
        <div key={index}>
          <p class="hint">{ranksNote(cycle)}</p>
          {cycle.by_rank.length > 0 && <GridTable grid={ranksGrid(cycle, rank)} label="Ranks" />}
        </div>
      ))}
      {together.findings.map((finding) => (
        <div key={finding.title}>
          <b>
            <Sentence text={finding.title} />
          </b>
          <Prose text={finding.text} />
          <Prose text={finding.advice} />
        </div>
      ))}
      {unread.length > 0 && (
        <p class="hint">
          {plural(unread.length, "file")} could not be read: <bdi>{unread.join(", ")}</bdi>.
        </p>
      )}
    </>
  );
}

/** Waiting for other ranks, told from transfer: what no file can tell alone. */
export function RanksView({ file, rank }: Props): JSX.Element {
  const { answer, problem } = useRanks(file, true);
  return (
    <div class="part">
      <h3>With the files of the other ranks</h3>
      {problem !== null ? (
        <p class="hint">{problem}</p>
      ) : answer === null ? (
        <p class="hint" role="status">
          {pendingText(answer)}
        </p>
      ) : (
        <Together answer={answer} rank={rank} />
      )}
    </div>
  );
}
