import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Report } from "../../api/types";
import { sentence } from "../../model/format";
import { STEP_LINES } from "../../model/recipe";
import { deviceIds, deviceName, gpuSide, shownDevice, stepIndex } from "../../model/steps";
import { stripSteps } from "../../model/strip";
import type { Place } from "../../state/place";
import type { Go } from "../../state/use_place";
import { Picker } from "../../ui/picker";
import { useHeight } from "../../ui/use_height";
import { StepTable } from "./step_table";
import { StripView } from "./strip_view";

const LEAST_HEIGHT = 244;
const MOST_HEIGHT = 460;

interface Props {
  report: Report;
  place: Place;
  go: Go;
}

function DevicePicker({
  report,
  device,
  go,
}: {
  report: Report;
  device: number | null;
  go: Go;
}): JSX.Element | null {
  const ids = deviceIds(report);
  if (ids.length < 2) return null;
  const options = ids.map((id) => ({ value: `${id}`, label: `${id}: ${deviceName(report, id)}` }));
  return <Picker label="Device" value={`${device}`} options={options} onPick={(id) => go({ device: id })} />;
}

/** Why no step has a GPU side; empty where one has. */
function gpuNote(report: Report, device: number | null): string {
  const sides = report.steps.map((step) => gpuSide(step, device));
  if (sides.some((side) => side.state === "measured")) return "";
  const missing = sides.find((side) => side.state === "missing");
  return missing ? sentence(`GPU not measured: ${missing.reason}`) : "No step launched work on the GPU.";
}

function Legend({ report }: { report: Report }): JSX.Element {
  const unsettled = report.steps.some((step) => step.settled === false);
  return (
    <span class="hint">
      CPU span above the line, the GPU work it launched below, same scale.
      {unsettled && (
        <>
          {" "}
          <i class="hatch-key" /> not settled
        </>
      )}
    </span>
  );
}

function NoSteps(): JSX.Element {
  return (
    <div class="no-steps">
      <p>
        This recording is not split into steps. Steps appear when <code>schedule=</code> is passed to the
        profiler and <code>prof.step()</code> is called once an iteration:
      </p>
      <pre>{STEP_LINES}</pre>
    </div>
  );
}

export function StepsCard({ report, place, go }: Props): JSX.Element {
  const device = shownDevice(report, place.device);
  const steps = useMemo(() => stripSteps(report, device), [report, device]);
  const index = stepIndex(report, place.step);
  const table = useRef<HTMLDivElement>(null);
  const height = Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, useHeight(table, LEAST_HEIGHT) + 12));
  const step = report.steps[index];
  if (step === undefined) return <NoSteps />;
  return (
    <section class="card steps" aria-label="Steps">
      <header>
        <h2>Steps</h2>
        <Legend report={report} />
        <span class="spacer" />
        <DevicePicker report={report} device={device} go={go} />
      </header>
      {step.number === null && <NoSteps />}
      <div class="steps-body">
        <StripView
          steps={steps}
          selected={steps[index]?.key ?? ""}
          height={height}
          gpuNote={gpuNote(report, device)}
          onSelect={(key) => go({ step: key })}
        />
        <div>
          <div ref={table}>
            <StepTable report={report} step={step} device={device} />
          </div>
        </div>
      </div>
    </section>
  );
}
