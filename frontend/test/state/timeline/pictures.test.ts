import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WindowQuery } from "../../../src/api/timeline";
import { pictureOf, type Picture } from "../../../src/model/timeline/picture";
import { Pictures } from "../../../src/state/timeline/pictures";
import { block, TIMELINE } from "../../model/timeline/blocks";

const WHOLE = { from: 0, to: 10_000 };

interface Question {
  query: WindowQuery;
  signal: AbortSignal;
  answer: (picture: Picture | null) => Promise<void>;
  fail: (why: string) => Promise<void>;
}

/** A server that answers when the test says so. */
function server(): { questions: Question[]; pictures: Pictures } {
  const questions: Question[] = [];
  const pictures = new Pictures(
    (query, signal) =>
      new Promise((resolve, reject) => {
        const settle = async (act: () => void): Promise<void> => {
          act();
          await vi.advanceTimersByTimeAsync(0);
        };
        questions.push({
          ...{ query, signal },
          answer: (picture) => settle(() => resolve(picture)),
          fail: (why) => settle(() => reject(new Error(why))),
        });
      }),
    WHOLE,
    () => undefined,
  );
  return { questions, pictures };
}

const picture = (): Picture => pictureOf(block(), TIMELINE);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the windows of a timeline", () => {
  it("are asked for once the view rests a moment, with room on both sides", async () => {
    const { questions, pictures } = server();
    for (const from of [1000, 1001, 1002]) pictures.want({ from, to: from + 1000 }, 500);
    expect(questions).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(questions.map(({ query }) => query)).toEqual([
      { from_ns: 502_000, to_ns: 2_502_001, pixels: 1000 },
    ]);
  });

  it("stay while a new one is fetched, and are not asked for twice", async () => {
    const { questions, pictures } = server();
    const [first, second] = [picture(), picture()];
    pictures.want({ from: 1000, to: 2000 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    await questions[0]!.answer(first);
    expect(pictures.best({ from: 1100, to: 2100 }, 500)).toBe(first);
    pictures.want({ from: 1100, to: 2100 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    expect(questions).toHaveLength(1);
    pictures.want({ from: 1400, to: 1500 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    expect(pictures.best({ from: 1400, to: 1500 }, 500)).toBe(first);
    await questions[1]!.answer(second);
    expect(pictures.best({ from: 1400, to: 1500 }, 500)).toBe(second);
    expect(pictures.best({ from: 1100, to: 2100 }, 500)).toBe(first);
  });

  it("call off what nobody waits for any more", async () => {
    const { questions, pictures } = server();
    pictures.want({ from: 1000, to: 2000 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    pictures.want({ from: 8000, to: 9000 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pictures.dispose();
    expect(questions[1]!.signal.aborted).toBe(true);
  });

  it("let a question run on whose answer still fits after a pan", async () => {
    const { questions, pictures } = server();
    pictures.want({ from: 1000, to: 2000 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    pictures.want({ from: 1300, to: 2300 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it("show the whole recording where nothing else is known", async () => {
    const { questions, pictures } = server();
    const whole = picture();
    void pictures.begin(800);
    await questions[0]!.answer(whole);
    expect(pictures.overview).toBe(whole);
    expect(pictures.best({ from: 5, to: 6 }, 500)).toBe(whole);
  });

  it("say what went wrong, and ask again", async () => {
    const { questions, pictures } = server();
    pictures.want({ from: 1000, to: 2000 }, 500);
    await vi.advanceTimersByTimeAsync(100);
    await questions[0]!.fail("the server answered 500");
    expect(pictures.problem).toBe("the server answered 500");
    await vi.advanceTimersByTimeAsync(2000);
    await questions[1]!.answer(picture());
    expect(pictures.problem).toBeNull();
  });
});
