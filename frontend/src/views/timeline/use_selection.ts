// The chosen event: from the address to what the server tells of it.

import { useMemo } from "preact/hooks";
import { eventAddress, type EventAnswer } from "../../api/timeline";
import type { EventDetails, EventRef } from "../../api/types";
import { useAnswer } from "../../state/timeline/use_answer";
import type { Selection } from "./draw/scene";

export interface Chosen {
  /** Index in the file's events; null: nothing is chosen. */
  event: number | null;
  answer: Extract<EventAnswer, { state: "ready" }> | null;
  problem: string | null;
  selection: Selection | null;
}

function linksOf(details: EventDetails): Selection["links"] {
  const { launch, launched, event } = details;
  if (launch) return [{ call: launch.call, work: event }];
  const call = details.chain.find((link) => link.kind === "launch" && link.event.event === event.event);
  return call ? launched.map((work) => ({ call: event, work })) : [];
}

function selectionOf(details: EventDetails): Selection {
  const links = linksOf(details);
  const first = links[0];
  const latency_us = first ? first.work.start_us - first.call.start_us : null;
  return { event: details.event, links, latency_us: details.launch?.latency_us ?? latency_us };
}

/** The event of an address, a whole number from 0. */
export function eventOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** `seen`: the chosen event as the drawing knows it, until the server tells more. */
export function useSelection(file: string, wanted: string | null, seen: EventRef | null): Chosen {
  const event = eventOf(wanted);
  const { answer, problem } = useAnswer<EventAnswer>(event === null ? null : eventAddress(file, event));
  const ready = answer?.state === "ready" ? answer : null;
  const selection = useMemo<Selection | null>(() => {
    if (ready) return selectionOf(ready.details);
    return seen?.event === event && seen !== null ? { event: seen, links: [], latency_us: null } : null;
  }, [ready, seen, event]);
  return { event, answer: ready, problem, selection };
}
