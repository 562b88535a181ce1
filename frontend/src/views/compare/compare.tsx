import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { byId } from "../../model/files";
import { exchanged, idsOf, pageSide, sidesOf, type Sides } from "../../model/sides";
import { isCommand } from "../keys";
import type { ScreenProps } from "../screens";
import { Unreached } from "../states";
import { Choose } from "./choose";
import { ComparisonView } from "./comparison_view";
import { Pending } from "./pending";
import { SideBar } from "./side_bar";

const SWAP_KEY = "x";

function useSwapKey(swap: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === SWAP_KEY && isCommand(event)) swap();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [swap]);
}

interface BodyProps extends ScreenProps {
  sides: Sides;
}

function Body({ sides, comparison, place, go }: BodyProps): JSX.Element {
  const { answer, problem, gone, reload } = comparison;
  if (answer?.state === "ready") {
    const ids = idsOf(sides);
    const key = `${ids.baseline} ${ids.candidate}`;
    return <ComparisonView key={key} comparison={answer.comparison} sides={sides} place={place} go={go} />;
  }
  if (problem !== null) return <Unreached problem={problem} onRetry={reload} />;
  if (gone) return <Unreached problem="one of the two files is not in the list any more" onRetry={reload} />;
  return <Pending answer={answer} sides={sides} onRetry={reload} />;
}

/** Any two files, one of which is the file on the page. */
export function Compare(props: ScreenProps): JSX.Element {
  const { answer, shown, place, go } = props;
  const sides = sidesOf(answer, shown, place.cmp, place.side);
  const swap = (): void => go({ side: exchanged(place.side) });
  const pick = (cmp: string): void => go({ cmp });
  useSwapKey(swap);
  return (
    <>
      <SideBar
        answer={answer}
        page={shown}
        other={place.cmp === null ? null : byId(answer, place.cmp)}
        side={pageSide(place.side)}
        onPick={pick}
        onSwap={swap}
      />
      {sides === null ? (
        <Choose answer={answer} page={shown} gone={place.cmp !== null} onPick={pick} />
      ) : (
        <Body {...props} sides={sides} />
      )}
    </>
  );
}
