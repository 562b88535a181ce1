import { expect, it } from "vitest";
import { WORD_PATTERN, WORDS, wordOf } from "../../src/model/glossary";

it.each([
  ["Two steps have not settled.", "settled"],
  ["An Unsettled step", "settled"],
  ["the lane offset grows", "lane offset"],
  ["of refill bubbles", "refill bubble"],
  ["is an artefact", "artefact"],
])("finds the word in “%s”", (text, word) => expect(wordOf(WORD_PATTERN.exec(text)![1]!)).toBe(word));

it("leaves longer words alone", () =>
  expect(WORD_PATTERN.test("a spaced workspace, self-paced")).toBe(false));

it("has one sentence for each word, so that the list stays within fourteen lines", () => {
  for (const meaning of Object.values(WORDS)) {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(meaning.length).toBeLessThan(130);
  }
  expect(Object.keys(WORDS).length).toBeLessThanOrEqual(7);
});
