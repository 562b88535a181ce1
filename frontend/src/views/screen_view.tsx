import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Screen, type ScreenProps } from "./screens";
import { Asking, Unreached } from "./states";

/** One screen, fetched first where it is not here yet. */
export function ScreenView({ screen, ...props }: ScreenProps & { screen: Screen }): JSX.Element {
  const [loaded, setLoaded] = useState<Record<string, ComponentType<ScreenProps>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const here = screen.component ?? loaded[screen.id];
  useEffect(() => {
    if (here || !screen.load) return;
    setProblem(null);
    let wanted = true;
    screen.load().then(
      (component) => wanted && setLoaded((known) => ({ ...known, [screen.id]: component })),
      () => wanted && setProblem(`The ${screen.label} screen could not be fetched.`),
    );
    return () => {
      wanted = false;
    };
  }, [screen.id, here, attempt]);
  if (problem !== null && !here)
    return <Unreached problem={problem} onRetry={() => setAttempt(attempt + 1)} />;
  if (!here) return <Asking />;
  const Component = here;
  return <Component {...props} />;
}
