// The smaller cards beside the map.

import type { JSX } from "preact";
import type { CompileFacts, Comparison } from "../../api/types";
import { compileTable } from "../../model/compile_facts";
import { plural, time } from "../../model/format";
import { launches, type LaunchRow } from "../../model/launches";
import { LETTERS } from "../../model/sides";
import { Name } from "../../ui/text";
import { Term, walkTerms } from "../../ui/term";

function Squares({ row }: { row: LaunchRow }): JSX.Element {
  return (
    <div class="launch-row">
      <div class="squares" aria-hidden="true">
        {Array.from({ length: row.squares }, (_, index) => (
          <i key={index} class={index < row.graphs ? "graph" : ""} />
        ))}
      </div>
      <p>{row.text}</p>
    </div>
  );
}

export function LaunchesCard({ comparison }: { comparison: Comparison }): JSX.Element | null {
  const found = launches(comparison);
  if (found === null) return null;
  const graphs = found.rows.some((row) => row.graphs > 0);
  return (
    <section class="card launches" aria-label="Launch calls">
      <header>
        <h2>Launch calls</h2>
        <span class="hint">
          {found.each === 1 ? "one square a call" : `one square: ${found.each} calls`}
          {graphs && "; a wide one launches a whole graph"}
        </span>
      </header>
      {found.rows.map((row) => (
        <Squares key={row.side} row={row} />
      ))}
    </section>
  );
}

const MOST_BREAKS = 6;

function Breaks({ facts, letter }: { facts: CompileFacts | null; letter: string }): JSX.Element | null {
  if (facts === null || facts.breaks.length === 0) return null;
  return (
    <details>
      <summary>
        {plural(facts.breaks.length, "graph break")} of {letter}
      </summary>
      <ul class="breaks">
        {facts.breaks.slice(0, MOST_BREAKS).map((found, index) => (
          <li key={index}>
            {found.before} → {found.after}, {time(found.between_us)} between
            {found.operators.length > 0 && (
              <>
                {": "}
                <Name text={found.operators.join(", ")} mono />
              </>
            )}
            {found.where !== null && (
              <>
                {" at "}
                <Name text={found.where} mono />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function PhaseList({ facts, letter }: { facts: CompileFacts | null; letter: string }): JSX.Element | null {
  if (facts === null || facts.phases.length === 0) return null;
  return (
    <details>
      <summary>Compiling {letter}, by phase</summary>
      <table>
        <tbody>
          {facts.phases.map((phase) => (
            <tr key={phase.name}>
              <th scope="row">
                <Name text={phase.name} mono />
              </th>
              <td class="num">{time(phase.time_us)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

export function CompileCard({ comparison }: { comparison: Comparison }): JSX.Element | null {
  const table = compileTable(comparison);
  if (table === null) return null;
  const sides = [
    { letter: LETTERS.baseline, facts: comparison.baseline_compile },
    { letter: LETTERS.candidate, facts: comparison.compile },
  ];
  return (
    <section class="card compile" aria-label="torch.compile">
      <header>
        <h2>torch.compile</h2>
      </header>
      <table onKeyDown={walkTerms}>
        <thead>
          <tr>
            <td />
            <th scope="col" class="num">
              A
            </th>
            <th scope="col" class="num">
              B
            </th>
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={row.label} class={row.part ? "child" : ""}>
              <th scope="row">
                <Term stop={index === 0} meaning={row.meaning}>
                  {row.label}
                </Term>
              </th>
              <td class="num">{row.baseline}</td>
              <td class="num">{row.candidate}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="notes-below">
        {table.why.map((reason) => (
          <p key={reason}>Not known: {reason}</p>
        ))}
        {sides.map(({ letter, facts }) => (
          <Breaks key={letter} letter={letter} facts={facts} />
        ))}
        {sides.map(({ letter, facts }) => (
          <PhaseList key={letter} letter={letter} facts={facts} />
        ))}
      </div>
    </section>
  );
}
