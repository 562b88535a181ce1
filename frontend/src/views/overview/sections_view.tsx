import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Report } from "../../api/types";
import type { Picked } from "../../model/files";
import { sectionsOf, type Part, type Section } from "../../model/sections/index";
import { CurveView } from "../../ui/curve_view";
import { GridTable } from "../../ui/grid_table";
import { Chevron } from "../../ui/icons";
import type { ShowSpot } from "../../ui/spot_button";
import { RanksView } from "./ranks_view";

interface PartProps {
  part: Part;
  section: Section;
  onSpot: ShowSpot;
}

function PartView({ part, section, onSpot }: PartProps): JSX.Element {
  return (
    <div class="part">
      {part.title !== "" && <h3>{part.title}</h3>}
      {part.note !== "" && <p class="hint">{part.note}</p>}
      {part.curve && <CurveView curve={part.curve} />}
      {part.grid && <GridTable grid={part.grid} label={part.title || section.title} onSpot={onSpot} />}
    </div>
  );
}

interface CardProps extends Omit<PartProps, "part"> {
  report: Report;
  shown: Picked;
}

/** The files of other ranks in the run are read only once a reader asks for communication. */
function OtherRanks({ section, report, shown }: Omit<CardProps, "onSpot">): JSX.Element | null {
  if (section.id !== "communication" || shown.run.files.length < 2) return null;
  return <RanksView file={shown.file.id} rank={report.trace.rank} />;
}

function SectionCard({ section, onSpot, report, shown }: CardProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const body = `section-${section.id}`;
  return (
    <article class={open ? "section open" : "section"}>
      <h3>
        <button
          type="button"
          class="section-head"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setOpen(!open)}
        >
          <span class="title">{section.title}</span>
          <span class="hint name">{section.lead}</span>
          <Chevron />
        </button>
      </h3>
      <div id={body} class="section-body" hidden={!open}>
        {open &&
          section.parts.map((part, index) => (
            <PartView key={index} part={part} section={section} onSpot={onSpot} />
          ))}
        {open && <OtherRanks section={section} report={report} shown={shown} />}
        {open && section.missing.length > 0 && (
          <ul class="hint missing-list" aria-label="Not measured">
            {section.missing.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

export interface SectionsProps {
  report: Report;
  shown: Picked;
  onSpot: ShowSpot;
}

/** All else that the report holds, folded: each part opens to its tables and curves. */
export function SectionsView({ report, shown: picked, onSpot }: SectionsProps): JSX.Element {
  const { shown, absent } = useMemo(() => sectionsOf(report), [report]);
  return (
    <section class="card sections" aria-label="In detail">
      <header>
        <h2>In detail</h2>
        <span class="hint">
          all that the report holds; open a part to sort, filter and copy it; → shows the longest of a row on
          the timeline
        </span>
      </header>
      {shown.map((section) => (
        <SectionCard key={section.id} section={section} onSpot={onSpot} report={report} shown={picked} />
      ))}
      {absent.length > 0 && <footer class="hint">Nothing to tell of: {absent.join(", ")}.</footer>}
    </section>
  );
}
