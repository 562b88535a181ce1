import type { JSX } from "preact";
import { type Arrival, type Picked } from "../model/files";
import { Name } from "../ui/text";

interface Props {
  arrival: Arrival;
  onShow: (picked: Picked) => void;
  onReadAgain: () => void;
  onDismiss: () => void;
}

function text(arrival: NonNullable<Arrival>): JSX.Element | string {
  if (arrival.kind === "vanished")
    return "The file is not there any more. What was read from it stays on the page.";
  if (arrival.kind === "rewritten") return "The file was written again after it was read.";
  return (
    <>
      A newer trace has arrived in <Name text={arrival.picked.run.name} />:{" "}
      <Name text={arrival.picked.file.file} mono />
    </>
  );
}

/** What the address named is not there, and something else is shown. */
export function GoneLine({ text, onDismiss }: { text: string; onDismiss: () => void }): JSX.Element {
  return (
    <div class="banner" role="status">
      <Name text={text} />
      <button type="button" class="link" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  );
}

/** Something newer is there. The page never replaces by itself what is being read. */
export function Banner(props: Props): JSX.Element | null {
  const { arrival, onShow, onReadAgain, onDismiss } = props;
  if (arrival === null) return null;
  return (
    <div class="banner" role="status">
      <span>{text(arrival)}</span>
      {arrival.kind === "newer" && (
        <button type="button" class="button" onClick={() => onShow(arrival.picked)}>
          Show it
        </button>
      )}
      {arrival.kind === "rewritten" && (
        <button type="button" class="button" onClick={onReadAgain}>
          Read it again
        </button>
      )}
      {arrival.kind !== "vanished" && (
        <button type="button" class="link" onClick={onDismiss}>
          Not now
        </button>
      )}
    </div>
  );
}
