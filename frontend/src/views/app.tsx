import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run, RunsAnswer, TraceFile } from "../api/answers";
import { choose, newest, type Choice, type Picked } from "../model/files";
import { idsOf, sidesOf, type Sides } from "../model/sides";
import { stepIndex } from "../model/steps";
import { useArrival } from "../state/use_arrival";
import { wishToSearch } from "../state/search_wish";
import { useComparison } from "../state/use_comparison";
import { useFollow, type Follow } from "../state/use_follow";
import { usePlace, type Go } from "../state/use_place";
import type { Place } from "../state/place";
import { useFocus } from "../state/use_focus";
import { useGone } from "../state/use_gone";
import { useReport, type ReportState } from "../state/use_report";
import { useRuns, type RunsState } from "../state/use_runs";
import { useTheme } from "../state/use_theme";
import { useVisible } from "../state/use_visible";
import { AppBar } from "./app_bar";
import { Banner, GoneLine } from "./banner";
import { ContextBar } from "./context_bar";
import { Help } from "./help";
import { useKeys } from "./keys";
import { ScreenView } from "./screen_view";
import { screenOf, type ScreenProps } from "./screens";
import { Share } from "./share";
import { Asking, Empty, Gone, Pending, Unreached } from "./states";

/**
 * Shows another file. Within a run the device, the finding and the range of the timeline stay, so that cycles
 * and workers compare; an event is one of its file alone.
 */
function goTo(place: Place, go: Go, run: Run, file: TraceFile): void {
  const elsewhere = run.name === place.run ? {} : { finding: null, device: null, at: null };
  go({ run: run.name, worker: file.worker, file: file.id, step: null, ev: null, ...elsewhere });
}

/** The file on the page: as listed now, or as it was last listed where it has vanished since. */
function useShown(choice: Choice | null, wanted: Place): Picked | null {
  const last = useRef<Picked | null>(null);
  const same = last.current?.file.id === wanted.file && last.current?.run.name === wanted.run;
  if (choice?.state === "picked") last.current = choice.picked;
  else if (choice?.state === "empty" || !same) last.current = null;
  return last.current;
}

/** The files whose comparison is on the page. */
function comparedOn(place: Place, answer: RunsAnswer | null, shown: Picked): Sides | null {
  const compares = answer !== null && screenOf(place.tab).id === "compare";
  return compares ? sidesOf(answer, shown, place.cmp, place.side) : null;
}

interface MainProps {
  shown: Picked;
  runs: RunsAnswer;
  visible: boolean;
  report: ReportState;
  comparison: ScreenProps["comparison"];
  place: Place;
  go: Go;
}

function Main({ shown, runs, visible, report, comparison, place, go }: MainProps): JSX.Element {
  const { answer, problem, reload } = report;
  if (answer?.state === "ready") {
    const screen = screenOf(place.tab);
    const props = { report: answer.report, shown, answer: runs, comparison, place, go, visible };
    return <ScreenView key={`${screen.id} ${shown.file.id}`} screen={screen} {...props} />;
  }
  if (problem !== null) return <Unreached problem={problem} onRetry={reload} />;
  return <Pending answer={answer} file={shown.file} onRetry={reload} />;
}

interface BodyProps extends Omit<MainProps, "shown" | "runs"> {
  gone: string | null;
  onDismissGone: () => void;
  runs: RunsState;
  follow: Follow;
  answer: RunsAnswer;
  choice: Choice;
  shown: Picked | null;
}

function Body(props: BodyProps): JSX.Element {
  const { runs, answer, choice, shown, report, comparison, follow, place, go } = props;
  const [arrival, dismiss] = useArrival(answer, shown?.file ?? null);
  const ready = report.answer?.state === "ready" ? report.answer.report : null;
  const readAgain = (): void => {
    dismiss();
    report.reload();
  };
  const mended = arrival?.kind === "rewritten" && (follow.on || report.answer?.state === "error");
  useEffect(() => {
    if (mended) readAgain();
  }, [mended]);
  const looking = !answer.scanned && choice.state !== "picked";
  if ((choice.state === "empty" || looking) && !ready)
    return (
      <main>
        <Empty answer={answer} />
      </main>
    );
  const fresh = newest(answer);
  const vanished = shown !== null && (choice.state === "gone" || report.gone);
  if (fresh && vanished && !ready) {
    return (
      <main>
        <Gone newest={fresh.file.file} onShow={() => goTo(place, go, fresh.run, fresh.file)} />
      </main>
    );
  }
  if (shown === null) return <Asking />;
  return (
    <>
      <ContextBar
        runs={runs}
        answer={answer}
        picked={shown}
        report={ready}
        chosenDevice={place.device}
        follow={follow}
        onPick={(run, file) => {
          follow.stop();
          goTo(place, go, run, file);
        }}
      />
      <Banner
        arrival={arrival}
        onShow={(picked) => goTo(place, go, picked.run, picked.file)}
        onReadAgain={readAgain}
        onDismiss={dismiss}
      />
      {props.gone !== null && <GoneLine text={props.gone} onDismiss={props.onDismissGone} />}
      <main tabIndex={-1}>
        <Main {...{ shown, report, comparison, place, go }} runs={answer} visible={props.visible} />
      </main>
    </>
  );
}

export function App(): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const visible = useVisible(root);
  const [place, go] = usePlace(visible);
  const theme = useTheme(place.theme);
  const [help, setHelp] = useState(false);
  const runs = useRuns(visible);
  const choice = runs.answer ? choose(runs.answer, place) : null;
  const shown = useShown(choice, place);
  const report = useReport(shown?.file.id ?? null, visible);
  const ready = report.answer?.state === "ready" ? report.answer.report : null;
  const sides = ready && shown ? comparedOn(place, runs.answer, shown) : null;
  const comparison = useComparison(sides && idsOf(sides), visible);
  const onHelp = useCallback(() => setHelp((open) => !open), []);
  const follow = useFollow(runs.answer, shown, (next) => goTo(place, go, next.run, next.file));
  const onSearch = useCallback(() => {
    wishToSearch();
    if (!screenOf(place.tab).searches) go({ tab: "learn" });
  }, [place.tab, go]);
  useKeys({ report: ready, place, go, onHelp, onSearch, onFollow: follow.toggle });
  const settled = runs.answer?.scanned ? choice : null;
  const [gone, onDismissGone] = useGone(settled, shown, (next) => goTo(place, go, next.run, next.file));
  useFocus(root, visible, shown !== null);
  useEffect(() => {
    if (place.file === null && shown) go({ run: shown.run.name, worker: shown.worker, file: shown.file.id });
  }, [place.file, shown?.file.id]);
  return (
    <div ref={root} class="app" tabIndex={-1}>
      <AppBar
        shown={screenOf(place.tab)}
        onScreen={(screen) => go({ tab: screen.id })}
        theme={theme}
        onTheme={() => go({ theme: theme.next })}
        onHelp={onHelp}
        onSearch={onSearch}
      >
        {ready && shown && (
          <Share
            file={shown.file.id}
            run={shown.run.name}
            step={ready.steps[stepIndex(ready, place.step)]?.number ?? null}
            sides={sides}
            isCompared={comparison.answer?.state === "ready"}
          />
        )}
      </AppBar>
      {runs.answer && choice ? (
        <Body
          {...{
            runs,
            follow,
            answer: runs.answer,
            choice,
            shown,
            report,
            comparison,
            place,
            go,
            gone,
            onDismissGone,
            visible,
          }}
        />
      ) : runs.problem !== null ? (
        <Unreached problem={runs.problem} onRetry={runs.retry} />
      ) : (
        <Asking />
      )}
      <Help open={help} onClose={() => setHelp(false)} about={runs.answer} />
    </div>
  );
}
