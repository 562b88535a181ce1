// Hands a trace to Perfetto's page in another tab. This page itself asks nobody for anything: the reader's
// browser opens the other page, and the two talk by messages (perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui).

import type { Slice } from "../api/slice";

const ORIGIN = "https://ui.perfetto.dev";
const PING_EVERY_MS = 100;
const PATIENCE_MS = 30_000;

/** The other tab; it has to be opened in the press itself, before the trace is there. Null: blocked. */
export function openPerfetto(): Window | null {
  return window.open(ORIGIN);
}

/** Gives the trace to the tab once its page answers; whether it did in time. */
export async function handOver(tab: Window, slice: Slice): Promise<boolean> {
  if (!(await answers(tab))) return false;
  const buffer = await slice.content.arrayBuffer();
  const perfetto = { buffer, title: slice.name, fileName: slice.name, keepApiOpen: false };
  tab.postMessage({ perfetto }, ORIGIN, [buffer]);
  return true;
}

function answers(tab: Window): Promise<boolean> {
  return new Promise((resolve) => {
    const started = performance.now();
    const finish = (answered: boolean): void => {
      window.clearInterval(timer);
      window.removeEventListener("message", hear);
      resolve(answered);
    };
    const hear = (event: MessageEvent): void => {
      if (event.origin === ORIGIN && event.source === tab && event.data === "PONG") finish(true);
    };
    const timer = window.setInterval(() => {
      if (tab.closed || performance.now() - started > PATIENCE_MS) finish(false);
      else tab.postMessage("PING", ORIGIN);
    }, PING_EVERY_MS);
    window.addEventListener("message", hear);
  });
}
