import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Run, RunsAnswer, TraceFile } from "../api/answers";
import type { Report } from "../api/types";
import { averagesText } from "../model/figures";
import { filesOf, latest, workers, type Picked } from "../model/files";
import { age, bytes, plural } from "../model/format";
import { deviceName, shownDevice } from "../model/steps";
import type { Follow } from "../state/use_follow";
import type { RunsState } from "../state/use_runs";
import { Picker, type Option } from "../ui/picker";

const TICK_MS = 1000;
const FRESH_S = 120;

interface Props {
  runs: RunsState;
  answer: RunsAnswer;
  picked: Picked;
  report: Report | null;
  chosenDevice: string | null;
  follow: Follow;
  onPick: (run: Run, file: TraceFile) => void;
}

const STATES: Readonly<Record<TraceFile["state"], string>> = {
  unread: "",
  queued: " · queued",
  working: " · being read",
  ready: "",
  error: " · cannot be read",
};

function when(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

function fileOption(file: TraceFile): Option {
  const title = `${file.file}\n${bytes(file.bytes)}, written ${when(file.modified_s)}`;
  return { value: file.id, label: file.file, note: STATES[file.state], title };
}

function Pickers({ answer, picked, onPick }: Props): JSX.Element {
  const { run, worker, file } = picked;
  const pickRun = (name: string): void => {
    const next = answer.runs.find((entry) => entry.name === name);
    const first = next && (filesOf(next, worker)[0] ?? next.files[0]);
    if (next && first) onPick(next, first);
  };
  const pickFile = (file_: TraceFile | undefined): void => file_ && onPick(run, file_);
  const runOptions = answer.runs.filter((entry) => entry.files.length > 0);
  return (
    <>
      <Picker
        label="Run"
        value={run.name}
        options={runOptions.map((entry) => ({ value: entry.name, label: entry.name }))}
        onPick={pickRun}
      />
      <Picker
        label="Worker"
        value={worker ?? ""}
        options={workers(run).map((name) => ({ value: name ?? "", label: name ?? "unnamed" }))}
        onPick={(name) => pickFile(run.files.find((entry) => (entry.worker ?? "") === name))}
      />
      <Picker
        label="File"
        mono
        value={file.id}
        options={filesOf(run, worker).map(fileOption)}
        onPick={(id) => pickFile(run.files.find((entry) => entry.id === id))}
      />
    </>
  );
}

function TraceFacts({ report, chosenDevice }: { report: Report; chosenDevice: string | null }): JSX.Element {
  const device = shownDevice(report, chosenDevice);
  const averages = averagesText(report);
  return (
    <>
      <i class="divider" />
      <bdi class="name device" title={device === null ? "" : deviceName(report, device)}>
        {device === null ? "No GPU recorded" : deviceName(report, device)}
      </bdi>
      <span class="dim">{plural(report.trace.events, "event")}</span>
      <i class="divider" />
      <span class="name" title={averages}>
        {averages}
      </span>
    </>
  );
}

/** Seconds since `served_ms` was told, so that ages go on growing between answers. */
function useElapsed(served_ms: number): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const start = performance.now();
    setElapsed(0);
    const timer = window.setInterval(() => setElapsed((performance.now() - start) / 1000), TICK_MS);
    return () => window.clearInterval(timer);
  }, [served_ms]);
  return elapsed;
}

interface LiveProps {
  runs: RunsState;
  answer: RunsAnswer;
  follow: Follow;
}

function Live({ runs, answer, follow }: LiveProps): JSX.Element {
  const elapsed = useElapsed(runs.served_ms);
  if (runs.problem !== null) {
    return (
      <span class="live lost" role="status" title={runs.problem}>
        TensorBoard does not answer
        <button type="button" class="link" onClick={runs.retry}>
          Ask again
        </button>
      </span>
    );
  }
  if (!answer.scanned) return <span class="live">Looking for files…</span>;
  const file = latest(answer);
  const seconds = file ? runs.served_ms / 1000 - file.modified_s + elapsed : 0;
  return (
    <span
      class="live"
      title={file ? `${file.file}\nwritten ${when(file.modified_s)}; looked for every 5 s` : ""}
    >
      {file && seconds < FRESH_S && <i class="dot" />}
      {file ? `Newest file ${age(seconds)}` : "No files"}
      {file && (
        <button
          type="button"
          class="link"
          aria-pressed={follow.on}
          title={
            follow.on
              ? "Newer files are shown as they come. Press to stay (.)"
              : "Show newer files as they come (.)"
          }
          onClick={follow.toggle}
        >
          {follow.on ? "Following" : "Follow"}
        </button>
      )}
    </span>
  );
}

function Notes({ notes }: { notes: readonly string[] }): JSX.Element | null {
  if (notes.length === 0) return null;
  return (
    <details class="notes">
      <summary>{plural(notes.length, "note")} on the list</summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>
            <bdi>{note}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function ContextBar(props: Props): JSX.Element {
  return (
    <div class="context-bar" role="region" aria-label="What is shown">
      <Pickers {...props} />
      {props.report && <TraceFacts report={props.report} chosenDevice={props.chosenDevice} />}
      <Notes notes={props.answer.notes ?? []} />
      <Live runs={props.runs} answer={props.answer} follow={props.follow} />
    </div>
  );
}
