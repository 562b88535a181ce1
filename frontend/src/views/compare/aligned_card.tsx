import type { ComponentType, JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Lazy } from "../../ui/lazy";
import type { AlignedProps } from "./aligned_view";

const load = (): Promise<ComponentType<AlignedProps>> =>
  import("./aligned_view").then((module) => module.AlignedView);

/** Whether an element has ever been in the part of the page that is in sight. */
function useReached(element: RefObject<HTMLElement | null>): boolean {
  const [reached, setReached] = useState(false);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setReached(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return reached;
}

/** Both timelines, which are made once the reader comes near. */
export function AlignedCard(props: AlignedProps): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const reached = useReached(card);
  return (
    <section ref={card} class="card aligned" aria-label="Both timelines">
      <header>
        <h2>Both timelines</h2>
        <span class="hint">
          the typical step of each run on one axis, from its start; what one shows, the other follows
        </span>
      </header>
      {reached && <Lazy load={load} what="The drawing of both timelines" props={props} />}
    </section>
  );
}
