import type { JSX } from "preact";
import { KEYS } from "./timeline_keys";

const LEGEND: readonly [string, string, string][] = [
  ["wait-busy", "waiting", "The thread waits while the GPU works; paler where the GPU has nothing to do."],
  ["bubble", "bubble", "The GPU ran dry because the thread waited, and idles until new work arrives."],
  ["host", "CPU not ready", "The GPU idles because nothing was launched in time."],
  ["profiler", "profiler", "The profiler’s own work and waits: do not count these."],
];

/** Keys, and what the shades mean. */
export function Footer(): JSX.Element {
  return (
    <footer class="tl-footer">
      <div>
        {KEYS.map(([keys, meaning]) => (
          <span key={meaning}>
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}{" "}
            {meaning}
          </span>
        ))}
        <span>
          <kbd>⇧</kbd> drag measures
        </span>
      </div>
      <div>
        {LEGEND.map(([fill, word, meaning]) => (
          <span key={fill} title={meaning}>
            <i class={`swatch fill-${fill}`} />
            {word}
          </span>
        ))}
      </div>
    </footer>
  );
}
