import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fetchSlice, type Slice } from "../api/slice";
import { comparisonAddress, exportAddress, FORMATS } from "../model/share";
import { idsOf, type Sides } from "../model/sides";
import { shareableAddress } from "../state/host";
import { handOver, openPerfetto } from "../state/perfetto";
import { CopyButton } from "../ui/copy_button";

function save({ name, content }: Slice): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const BLOCKED =
  "The browser did not let this page open a tab. Download the step, and drop it on ui.perfetto.dev.";
const SILENT = "ui.perfetto.dev did not answer. Download the step, and drop it on any trace viewer.";

interface StepProps {
  file: string;
  run: string;
  step: number;
}

/** The shown step as a trace of its own: to a file, or to Perfetto in another tab. */
function StepPart({ file, run, step }: StepProps): JSX.Element {
  const [told, setTold] = useState("");
  const [busy, setBusy] = useState(false);
  const cut = async (use: (slice: Slice) => Promise<string> | string): Promise<void> => {
    setBusy(true);
    setTold(`Cutting step ${step} out of the trace…`);
    try {
      setTold(await use(await fetchSlice(file, step)));
    } catch (error) {
      setTold((error as Error).message);
    }
    setBusy(false);
  };
  const download = (): Promise<void> =>
    cut((slice) => {
      save(slice);
      return `Saved as ${slice.name}`;
    });
  const show = (): void => {
    const tab = openPerfetto();
    if (tab === null) return setTold(BLOCKED);
    void cut(async (slice) => ((await handOver(tab, slice)) ? "Handed to Perfetto" : SILENT));
  };
  return (
    <>
      <h2>
        Step {step} of <bdi>{run}</bdi> as a small trace
      </h2>
      <ul>
        <li>
          <button type="button" class="link" disabled={busy} onClick={() => void download()}>
            Download step {step}
          </button>{" "}
          <span class="hint">its CPU events and GPU work, for any trace viewer</span>
        </li>
        <li>
          <button type="button" class="link" disabled={busy} onClick={show}>
            Open in Perfetto
          </button>{" "}
          <span class="hint">
            opens ui.perfetto.dev in a new tab and hands it the step inside your browser; nothing is uploaded
          </span>
        </li>
      </ul>
      <p class="hint" role="status">
        {told}
      </p>
    </>
  );
}

/** What is saved in each form. */
function Formats({ address }: { address: (format: string) => string }): JSX.Element {
  return (
    <ul>
      {FORMATS.map(({ format, label, about }) => (
        <li key={format}>
          <a href={address(format)} download="">
            {label}
          </a>{" "}
          <span class="hint">{about}</span>
        </li>
      ))}
    </ul>
  );
}

/** The comparison on the page; there is nothing to save until it is made. */
function ComparisonPart({ sides, isMade }: { sides: Sides; isMade: boolean }): JSX.Element {
  const { baseline, candidate } = sides;
  return (
    <>
      <h2>
        The comparison of <bdi>{baseline.run.name}</bdi> with <bdi>{candidate.run.name}</bdi> as a file
      </h2>
      {isMade ? (
        <Formats address={(format) => comparisonAddress(idsOf(sides), format)} />
      ) : (
        <p class="hint">Once it is made, it can be saved here.</p>
      )}
    </>
  );
}

export interface ShareProps {
  file: string;
  /** The run of the file. */
  run: string;
  step: number | null;
  /** The two files of a comparison that is on the page. */
  sides: Sides | null;
  /** Whether their comparison is made. */
  isCompared: boolean;
}

export function ShareMenu({ file, run, step, sides, isCompared }: ShareProps): JSX.Element {
  return (
    <div class="share-body">
      <h2>This view</h2>
      <ul>
        <li>
          <CopyButton label="Copy link" text={shareableAddress} />{" "}
          <span class="hint">
            for who can reach this TensorBoard: run, file, step, finding and what is chosen are in it
          </span>
        </li>
      </ul>
      {sides && <ComparisonPart sides={sides} isMade={isCompared} />}
      <h2>
        The report on <bdi>{run}</bdi> as a file
      </h2>
      <Formats address={(format) => exportAddress(file, format)} />
      {step !== null && <StepPart key={`${file} ${step}`} file={file} run={run} step={step} />}
    </div>
  );
}
