import { render, type JSX } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NoSuchFile } from "../../src/api/client";
import { useAsked, type Ask, type Asked } from "../../src/state/use_asked";

interface Answer {
  state: "ready";
  number: number;
}

let root: HTMLElement;
let asked: [string, string | null][];
let told: Asked<Answer>;

const ask: Ask<Answer> = (question, etag) => {
  asked.push([question, etag]);
  return Promise.resolve({
    body: { state: "ready", number: asked.length },
    etag: `"${asked.length}"`,
    served_ms: 0,
  });
};

function Asker({ question, by = ask }: { question: string | null; by?: Ask<Answer> }): JSX.Element {
  told = useAsked(question, by, true);
  return <p>{told.answer?.number}</p>;
}

beforeEach(() => {
  asked = [];
  root = document.createElement("div");
});

afterEach(() => render(null, root));

it("asks a question that was put aside anew when it comes back, and shows what is known until then", async () => {
  render(<Asker question="a" />, root);
  await vi.waitFor(() => expect(told.answer?.number).toBe(1));
  render(<Asker question="a" />, root);
  render(<Asker question={null} />, root);
  expect(told.answer).toBeNull();
  render(<Asker question="a" />, root);
  expect(told.answer?.number).toBe(1);
  await vi.waitFor(() => expect(told.answer?.number).toBe(2));
  expect(asked).toEqual([
    ["a", null],
    ["a", '"1"'],
  ]);
});

it("forgets what went wrong with a question that was put aside", async () => {
  for (const [error, wrong] of [
    [new Error("no answer"), { problem: "no answer", gone: false }],
    [new NoSuchFile(), { problem: null, gone: true }],
  ] as const) {
    const fails = (): Promise<never> => Promise.reject(error);
    render(<Asker question="a" by={fails} />, root);
    await vi.waitFor(() => expect(told).toMatchObject(wrong));
    render(<Asker question={null} by={fails} />, root);
    render(<Asker question="a" by={fails} />, root);
    expect(told).toMatchObject({ problem: null, gone: false });
    render(null, root);
  }
});
