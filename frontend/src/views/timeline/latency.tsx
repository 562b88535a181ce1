import type { JSX } from "preact";
import type { EventDetails } from "../../api/types";
import { time } from "../../model/format";

/** What each part of a launch latency is, and how it is filled. */
const PARTS: Readonly<Record<string, [string, string]>> = {
  call: ["inside the launch call", "launch"],
  queue: ["behind earlier work of its stream", "queued"],
  dependency: ["another stream of the device ran", "dependency"],
  loading: ["loading code onto the GPU", "loading"],
  profiler: ["the profiler worked", "profiler"],
  other: ["other", "other"],
};
const ORDER = ["call", "queue", "dependency", "loading", "profiler", "other"];

const GPU_WORK = ["kernel", "memcpy", "memset"];

interface Props {
  details: EventDetails;
  parts: readonly string[];
}

/** How long the work waited after its launch call began, and for what. */
export function Latency({ details, parts }: Props): JSX.Element | null {
  const { launch } = details;
  if (launch === null)
    return GPU_WORK.includes(details.event.category) ? (
      <p class="hint">
        Its launch call is not in this file: it was launched before the recording began, or events were taken
        out. So nothing tells how long it waited, nor who asked for it.
      </p>
    ) : null;
  if (launch.latency_us < 0)
    return (
      <p class="hint">It begins before its launch call: the clocks of CPU and GPU disagree in this file.</p>
    );
  const known = [...ORDER, ...parts.filter((part) => !ORDER.includes(part))];
  const shares = known.flatMap((part) => {
    const us = launch.parts_us?.[part] ?? 0;
    const [words, fill] = PARTS[part] ?? [part, "other"];
    return us > 0 ? [{ part, us, words, fill }] : [];
  });
  return (
    <section>
      <h3>Launch latency, {time(launch.latency_us)}</h3>
      {launch.parts_us === null ? (
        <p class="hint">Not split: only the first work of a launch on a device is.</p>
      ) : (
        <>
          <div class="tl-split" aria-hidden="true">
            {shares.map(({ part, us, fill }) => (
              <i key={part} class={`fill-${fill}`} style={{ flexGrow: us }} />
            ))}
          </div>
          <dl class="tl-facts">
            {shares.map(({ part, us, words, fill }) => (
              <div key={part}>
                <dt>
                  <i class={`swatch fill-${fill}`} />
                  {words}
                </dt>
                <dd>{time(us)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}
