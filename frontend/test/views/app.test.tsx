// The whole page against the development server, over HTTP.

import { cpSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { render } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serve } from "../../dev/serve.mjs";
import { App } from "../../src/views/app";
import { DIRECTORY } from "../fixtures";

interface HappyWindow {
  happyDOM: { setURL: (url: string) => void; abort: () => Promise<void> };
}

let directory: string;
let server: Server;
let root: HTMLElement;

function put(name: string, seconds: number): void {
  const path = join(directory, `${name}.json`);
  cpSync(join(DIRECTORY, `${name}.json`), path);
  utimesSync(path, seconds, seconds);
}

async function open(query = ""): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const page = `http://127.0.0.1:${port}/data/plugin/explain/`;
  (window as unknown as HappyWindow).happyDOM.setURL(page + query);
  render(<App />, root);
}

const text = (): string => (document.body.textContent ?? "").replaceAll("\u202f", " ");

function shows(words: string, timeout = 3000): Promise<void> {
  return vi.waitFor(() => expect(text()).toContain(words), { timeout, interval: 50 });
}

function button(words: string): HTMLElement {
  const found = [...document.querySelectorAll("button")].find((element) =>
    element.textContent?.includes(words),
  );
  if (!found) throw new Error(`no button “${words}”`);
  return found;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "explain-"));
  server = await serve(directory, 0);
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

it("tells an empty directory how to get its first trace", async () => {
  await open();
  await shows("No traces under runs yet");
  expect(document.querySelector("pre")?.textContent).toBe(
    `from torch.profiler import profile, schedule, tensorboard_trace_handler
with profile(schedule=schedule(wait=1, warmup=2, active=5),
             on_trace_ready=tensorboard_trace_handler("runs/first")) as prof:
    for batch in loader:
        train_step(batch); prof.step()`,
  );
});

it("shows the newest file and keeps it in the address", async () => {
  put("cpu_only", 1_000);
  put("gpu_bound", 2_000);
  await open("?name=explain");
  await shows("The GPU sets the pace");
  expect(location.search).toContain("name=explain&p.explain.run=gpt-block%20%2F%20reduce-overhead");
  expect(location.search).toContain("p.explain.file=gpu_bound");
});

it("opens the file, step and finding of a link", async () => {
  put("cpu_only", 1_000);
  put("gpu_bound", 2_000);
  put("host_bound", 3_000);
  await open("?p.explain.file=gpu_bound&p.explain.step=4&p.explain.finding=lane-offset&p.explain.theme=dark");
  await shows("A full queue is what you want");
  expect(document.querySelector("[aria-selected=true]")?.id).toBe("step-4");
  expect(document.documentElement.dataset["theme"]).toBe("dark");
});

it("moves through steps and findings by keys, and not while a choice is open", async () => {
  put("gpu_bound", 2_000);
  await open();
  await shows("The GPU sets the pace");
  const press = (key: string, target: EventTarget = document.body): boolean =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  await vi.waitFor(() => {
    press("[");
    expect(location.search).toContain("p.explain.step=5");
  });
  press("[", document.querySelector("input, select, dialog") ?? document.body);
  expect(location.search).toContain("p.explain.step=5");
  press("n");
  expect(document.activeElement?.className).toBe("finding-head");
  press("n");
  expect(document.activeElement?.textContent).toContain("lane");
  press("p");
  expect(document.activeElement?.textContent).toContain("Tensor Cores");
});

it("tells what is wrong with one file and leaves the others", async () => {
  put("error", 3_000);
  put("gpu_bound", 2_000);
  await open();
  await shows("worker3.pt.trace.json is not valid JSON: line 3 column 17 expects a comma.");
  const runs = [...document.querySelectorAll<HTMLOptionElement>("select option")].map(
    (option) => option.value,
  );
  expect(runs).toContain("gpt-block / reduce-overhead");
});

it("shows how far the reading is", async () => {
  put("working", 3_000);
  await open();
  await shows("Read and link the events: 42 %");
  expect(document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("42");
});

it("says that the run or file of a link is gone, and what is shown instead", async () => {
  put("gpu_bound", 2_000);
  await open("?p.explain.run=nope&p.explain.file=removed");
  await shows("Run ‘nope’ is not there (any more); showing ‘gpt-block / reduce-overhead’.");
  await shows("The GPU sets the pace");
  expect(location.search).toContain("p.explain.file=gpu_bound");
  button("Dismiss").click();
  await vi.waitFor(() => expect(text()).not.toContain("(any more)"));
});

it("has the keys from the start, but takes them from no field", async () => {
  put("gpu_bound", 2_000);
  await open();
  await shows("The GPU sets the pace");
  await vi.waitFor(() => expect(document.activeElement?.tagName).toBe("MAIN"));
  render(null, root);
  const field = document.body.appendChild(document.createElement("input"));
  field.focus();
  await open();
  await shows("The GPU sets the pace");
  expect(document.activeElement).toBe(field);
  field.remove();
});

it("never replaces what is being read by what arrives", async () => {
  put("gpu_bound", 2_000);
  await open();
  await shows("The GPU sets the pace");
  put("host_bound", 3_000);
  await shows("A newer trace has arrived in recommender", 8000);
  expect(text()).toContain("The GPU sets the pace");
  button("Show it").click();
  await shows("The CPU keeps the GPU waiting");
  expect(text()).not.toContain("A newer trace has arrived");
}, 12_000);

it("goes to what arrives once the reader wants to follow, until another file is chosen", async () => {
  put("gpu_bound", 2_000);
  await open();
  await shows("The GPU sets the pace");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "." }));
  await shows("Following");
  put("host_bound", 3_000);
  await shows("The CPU keeps the GPU waiting", 8000);
  expect(text()).not.toContain("A newer trace has arrived");
}, 12_000);

it("says that the server does not answer, and asks again on demand", async () => {
  put("gpu_bound", 2_000);
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((done) => server.close(() => done()));
  (window as unknown as HappyWindow).happyDOM.setURL(`http://127.0.0.1:${port}/data/plugin/explain/`);
  render(<App />, root);
  await shows("TensorBoard does not answer");
  server = await serve(directory, port);
  button("Ask again now").click();
  await shows("The GPU sets the pace");
});
