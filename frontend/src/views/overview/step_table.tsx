import { Fragment, type JSX } from "preact";
import type { GpuStep, Report, Step } from "../../api/types";
import { sentence, shareOf, time } from "../../model/format";
import { WHOLES } from "../../model/glossary";
import { cpuParts, gpuParts, shownParts, type Part } from "../../model/parts";
import { gpuSide, hasGpuWork, isAveraged, reasonClause, stepName, windowOf } from "../../model/steps";
import { Term, walkTerms } from "../../ui/term";

const MOST_CHILDREN = 3;

function Children({ part, base }: { part: Part; base: number | null }): JSX.Element {
  return (
    <>
      {part.children.slice(0, MOST_CHILDREN).map((child) => (
        <tr key={child.label} class="child">
          <th scope="row">
            <Term stop={false} meaning={child.meaning}>
              {child.label}
            </Term>
          </th>
          <td>{time(child.us)}</td>
          <td>{shareOf(child.us, base)}</td>
        </tr>
      ))}
    </>
  );
}

function Rows({ parts, base }: { parts: readonly Part[]; base: number | null }): JSX.Element {
  return (
    <>
      {shownParts(parts).map((part) => (
        <Fragment key={part.fill}>
          <tr class={part.us === 0 ? "zero" : ""}>
            <th scope="row">
              <i class={`swatch fill-${part.fill}`} />
              <Term stop={false} meaning={part.meaning}>
                {part.label}
              </Term>
            </th>
            <td>{time(part.us)}</td>
            <td>{shareOf(part.us, base)}</td>
          </tr>
          {part.us > 0 && base !== null && part.us > 0.1 * base && <Children part={part} base={base} />}
        </Fragment>
      ))}
    </>
  );
}

interface HeadProps {
  label: string;
  meaning: string;
  us: string;
  base: boolean;
  stop?: boolean;
}

function Head({ label, meaning, us, base, stop = false }: HeadProps): JSX.Element {
  return (
    <tr class="head">
      <th scope="rowgroup">
        <Term stop={stop} meaning={meaning}>
          {label}
        </Term>
      </th>
      <td>{us}</td>
      <td>{base ? "100\u202f%" : ""}</td>
    </tr>
  );
}

function GpuRows({ part, step }: { part: GpuStep; step: Step }): JSX.Element {
  const whole = step.number === null;
  const label = whole ? "GPU, first to last event" : "GPU, since the last step’s work";
  const meaning = whole ? WHOLES.device : WHOLES.window;
  const base = windowOf(step, part);
  return (
    <tbody>
      <Head label={label} meaning={meaning} us={base === null ? "—" : time(base)} base={base !== null} />
      <Rows parts={gpuParts(part)} base={base} />
    </tbody>
  );
}

function GpuGroup({ step, device }: { step: Step; device: number | null }): JSX.Element {
  const side = gpuSide(step, device);
  if (side.state === "measured") return <GpuRows part={side.part} step={step} />;
  return (
    <tbody>
      <Head
        label="GPU"
        meaning={WHOLES.window}
        us={side.state === "missing" ? "not measured" : "no work"}
        base={false}
      />
      <tr class="why">
        <td colSpan={3}>
          {side.state === "missing" ? sentence(side.reason) : "This step launched nothing on it."}
        </td>
      </tr>
    </tbody>
  );
}

function unsettledText(step: Step, report: Report): string {
  const reasons = step.unsettled_because.map(reasonClause).join("; ");
  const lead = isAveraged(report, step)
    ? "Not settled, and averaged all the same, as no step is"
    : "Not in the averages";
  return reasons === "" ? `${lead}.` : `${lead}: ${reasons}.`;
}

function Notes({ step, report, device }: { step: Step; report: Report; device: number | null }): JSX.Element {
  const side = gpuSide(step, device);
  const open = side.state === "measured" && side.part.period_us === null;
  const alone = report.steps.length === 1 && step.number !== null;
  return (
    <div class="step-notes">
      {open && step.number !== null && (
        <p>First recorded step: its GPU window opens with the recording, so no GPU period is given.</p>
      )}
      {step.settled === false && (
        <p>
          <i class="hatch-key" /> {unsettledText(step, report)}
        </p>
      )}
      {alone && step.settled !== false && <p>It is the only step: nothing to compare it with.</p>}
    </div>
  );
}

/** The selected step in figures; its colours are the legend of the strip. */
export function StepTable(props: { report: Report; step: Step; device: number | null }): JSX.Element {
  const { report, step, device } = props;
  const whole = step.number === null;
  const label = whole ? "CPU, whole recording" : `CPU, ${stepName(step).toLowerCase()}`;
  const meaning = whole ? WHOLES.recording : WHOLES.step;
  return (
    <div class="step-table" aria-live="polite">
      <table onKeyDown={walkTerms}>
        <caption class="visually-hidden">{stepName(step)}: time and share of its whole</caption>
        <tbody>
          <Head
            stop
            label={label}
            meaning={meaning}
            us={time(step.duration_us)}
            base={step.duration_us > 0}
          />
          <Rows parts={cpuParts(step)} base={step.duration_us} />
        </tbody>
        {hasGpuWork(report) && <GpuGroup step={step} device={device} />}
      </table>
      <Notes step={step} report={report} device={device} />
    </div>
  );
}
