import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Props<P> {
  load: () => Promise<ComponentType<P>>;
  /** What it is, for the line that says that it could not be fetched. */
  what: string;
  props: P;
}

/** A part of the page that is fetched when it is first drawn. `load` must stay the same. */
export function Lazy<P extends object>({ load, what, props }: Props<P>): JSX.Element | null {
  const [part, setPart] = useState<{ component: ComponentType<P> } | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let wanted = true;
    setFailed(false);
    load().then(
      (component) => wanted && setPart({ component }),
      () => wanted && setFailed(true),
    );
    return () => {
      wanted = false;
    };
  }, [load, attempt]);
  if (part) return <part.component {...props} />;
  if (!failed) return null;
  return (
    <p class="hint">
      {what} could not be fetched.{" "}
      <button type="button" class="link" onClick={() => setAttempt(attempt + 1)}>
        Try again
      </button>
    </p>
  );
}
