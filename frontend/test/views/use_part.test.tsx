// The chosen shaded part, against a server that tells of what it is made.

import { render, type JSX } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lossRows } from "../../src/model/timeline/in_view";
import { writePart } from "../../src/model/timeline/part_address";
import type { Shaded } from "../../src/model/timeline/shaded";
import { usePart } from "../../src/views/timeline/use_part";
import { IN_VIEW, TIMELINE } from "../model/timeline/blocks";
import { serveWith, type OwnServer } from "./own_server";

let asked: string[];
let own: OwnServer;
let root: HTMLElement;
let told: ReturnType<typeof usePart>;

const timeline = { ...TIMELINE, start_us: -20 };

function Reader({ wanted }: { wanted: string | null }): JSX.Element {
  told = usePart("f", wanted, timeline);
  return <p>{told[0]?.cause}</p>;
}

beforeEach(async () => {
  asked = [];
  own = await serveWith((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ state: "ready", in_view: IN_VIEW }));
  });
  root = own.root;
});

afterEach(() => own.end());

const [gap] = lossRows(IN_VIEW, TIMELINE.lanes).map((row): Shaded => row.shaded);

it("is what the link says, with what it is made of as the server tells", async () => {
  render(<Reader wanted={writePart(gap!)} />, root);
  expect(told[0]).toEqual({ ...gap, parts: [] });
  await vi.waitFor(() => expect(told[0]).toEqual(gap));
  expect(asked).toEqual(["/timeline/in_view?file=f&from=-10000&to=50000"]);
});

it("is none where the server knows of no such time there", async () => {
  render(<Reader wanted="input,gpu0,10,20" />, root);
  expect(told[0]?.cause).toBe("input");
  await vi.waitFor(() => expect(told[0]).toBeNull());
});

it("is what was chosen here, and nothing is asked; another address drops it", async () => {
  render(<Reader wanted={null} />, root);
  expect(told[0]).toBeNull();
  told[1](gap!);
  render(<Reader wanted={writePart(gap!)} />, root);
  await vi.waitFor(() => expect(told[0]).toBe(gap));
  render(<Reader wanted="42" />, root);
  await vi.waitFor(() => expect(told[0]).toBeNull());
  expect(asked).toEqual([]);
});
