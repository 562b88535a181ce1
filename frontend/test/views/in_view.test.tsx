// The figures below the timeline, against a server that answers as it is told.

import { render } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Camera } from "../../src/state/timeline/camera";
import { InViewCard } from "../../src/views/timeline/in_view";
import { IN_VIEW, TIMELINE } from "../model/timeline/blocks";
import { serveWith, type OwnServer } from "./own_server";

const READY = { state: "ready", in_view: IN_VIEW };

let answer: object;
let own: OwnServer;
let root: HTMLElement;

const text = (): string => root.textContent ?? "";

beforeEach(async () => {
  answer = READY;
  own = await serveWith((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  root = own.root;
});

afterEach(() => own.end());

it("says why there are no figures, in place of those of another view", async () => {
  const camera = new Camera({ from: 0, to: 100 }, { from: 0, to: 1000 });
  const nothing = (): void => undefined;
  render(<InViewCard file="f" camera={camera} timeline={TIMELINE} onFind={nothing} onShow={nothing} />, root);
  await vi.waitFor(() => expect(text()).toContain("Matrix multiply"));
  answer = {
    state: "error",
    error: { kind: "not_found", message: "a.json is gone: reload the list of runs.", file: "a.json" },
  };
  camera.set({ from: 200, to: 300 });
  const said = "The figures of this view could not be had: a.json is gone: reload the list of runs.";
  await vi.waitFor(() => expect(text()).toBe(said), { timeout: 3000 });
  answer = READY;
  camera.set({ from: 300, to: 400 });
  await vi.waitFor(() => expect(text()).toContain("Matrix multiply"), { timeout: 3000 });
});
