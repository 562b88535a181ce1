import type { JSX } from "preact";
import type { Timeline } from "../../api/types";
import { time } from "../../model/format";
import { ownerOf, titleOf, wordsOf, type Shaded } from "../../model/timeline/shaded";
import { Fact, KnownVerdict, Texts } from "./panel_parts";

const EXTENTS: Readonly<Record<Shaded["extent"], string>> = {
  whole: "",
  cut: "over ",
  several: "several within ",
};

function Numbers({ shaded }: { shaded: Shaded }): JSX.Element {
  const { start_us, end_us, extent, parts } = shaded;
  return (
    <section>
      <h3>Numbers</h3>
      <dl class="tl-facts">
        <Fact label="Length">{`${EXTENTS[extent]}${time(end_us - start_us)}`}</Fact>
        {parts.map(([label, us]) => (
          <Fact key={label} label={`Of it, ${label}`}>
            {time(us)}
          </Fact>
        ))}
        <Fact label={extent === "cut" ? "Known from" : "Starts at"}>{time(start_us)}</Fact>
      </dl>
    </section>
  );
}

interface Props {
  shaded: Shaded;
  timeline: Timeline;
  /** Leads to the finding about it; null: there is none. */
  finding: JSX.Element | null;
}

/** What a shaded part of the drawing is, whose, and whether it is a problem. */
export function ShadedPanel({ shaded, timeline, finding }: Props): JSX.Element {
  const words = wordsOf(shaded);
  return (
    <>
      <header>
        <span class="eyebrow">What is this?</span>
        <KnownVerdict verdict={words.verdict} />
      </header>
      <h2>
        <bdi>{titleOf(shaded, timeline.lanes)}</bdi>
      </h2>
      <p class="hint">
        Of <bdi>{ownerOf(shaded, timeline.lanes)}</bdi>
      </p>
      {finding}
      <Texts what={words.what} problem={words.problem} />
      <Numbers shaded={shaded} />
    </>
  );
}
