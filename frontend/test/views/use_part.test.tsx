// The chosen shaded part, against a server that tells of what it is made.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { render, type JSX } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lossRows } from "../../src/model/timeline/in_view";
import { writePart } from "../../src/model/timeline/part_address";
import type { Shaded } from "../../src/model/timeline/shaded";
import { usePart } from "../../src/views/timeline/use_part";
import { IN_VIEW, TIMELINE } from "../model/timeline/blocks";

let asked: string[];
let server: Server;
let root: HTMLElement;
let told: ReturnType<typeof usePart>;

const timeline = { ...TIMELINE, start_us: -20 };

function Reader({ wanted }: { wanted: string | null }): JSX.Element {
  told = usePart("f", wanted, timeline);
  return <p>{told[0]?.cause}</p>;
}

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ state: "ready", in_view: IN_VIEW }));
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const { port } = server.address() as AddressInfo;
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } };
  happyDOM.setURL(`http://127.0.0.1:${port}/`);
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
  server.closeAllConnections();
  server.close();
});

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
