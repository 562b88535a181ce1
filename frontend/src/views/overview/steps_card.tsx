import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Report } from "../../api/types";
import { WORDS } from "../../model/glossary";
import { STEP_LINES } from "../../model/recipe";
import { deviceIds, deviceName, hasGpuWork, shownDevice, stepIndex } from "../../model/steps";
import { stripSteps, type StripStep } from "../../model/strip";
import type { Place } from "../../state/place";
import type { Go } from "../../state/use_place";
import { CodeBlock } from "../../ui/code_block";
import { Picker } from "../../ui/picker";
import { Term } from "../../ui/term";
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

function Legend({ steps, withGpu }: { steps: readonly StripStep[]; withGpu: boolean }): JSX.Element {
  return (
    <span class="hint legend">
      {withGpu
        ? "CPU span above the line, the GPU work it launched below, same scale."
        : "CPU span of each step."}
      {steps.some((step) => !step.settled) && (
        <span class="mark">
          <i class="hatch-key" /> <Term meaning={WORDS.settled}>not settled</Term>
        </span>
      )}
      {steps.some((step) => step.settled && step.open) && (
        <span class="mark">
          <i class="open-key" /> first step: its GPU time began before recording
        </span>
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
      <CodeBlock text={STEP_LINES} />
    </div>
  );
}

export function StepsCard({ report, place, go }: Props): JSX.Element {
  const device = shownDevice(report, place.device);
  const steps = useMemo(() => stripSteps(report, device), [report, device]);
  const index = stepIndex(report, place.step);
  const withGpu = hasGpuWork(report);
  const table = useRef<HTMLDivElement>(null);
  const height = Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, useHeight(table, LEAST_HEIGHT) + 12));
  const step = report.steps[index];
  if (step === undefined) return <NoSteps />;
  return (
    <section class="card steps" aria-label="Steps">
      <header>
        <h2>Steps</h2>
        <Legend steps={steps} withGpu={withGpu} />
        <DevicePicker report={report} device={device} go={go} />
        <button
          type="button"
          class="link"
          onClick={() => go({ tab: "timeline", step: steps[index]?.key ?? null, at: null, ev: null })}
        >
          {step.number === null ? "On the timeline" : `Step ${step.number} on the timeline`}
        </button>
      </header>
      {step.number === null && <NoSteps />}
      <div class="steps-body">
        <StripView
          steps={steps}
          selected={steps[index]?.key ?? ""}
          height={height}
          withGpu={withGpu}
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
