import { describe, expect, it } from "vitest";
import { age, bytes, plural, ranges, sentence, shareOf, significant, time } from "../../src/model/format";

const plain = (text: string): string => text.replaceAll("\u202f", " ");

describe("time", () => {
  it.each([
    [0, "0 µs"],
    [0.021, "0.021 µs"],
    [53.06, "53.1 µs"],
    [999.4, "999 µs"],
    [999.6, "1.00 ms"],
    [2006.25, "2.01 ms"],
    [104_804, "105 ms"],
    [999_600, "1.00 s"],
    [2_540_210, "2.54 s"],
    [3_723_000_000, "3,723 s"],
    [-1.2, "−1.20 µs"],
  ])("%f µs is %s", (us, text) => expect(plain(time(us))).toBe(text));

  it("never breaks between number and unit", () => expect(time(1)).not.toMatch(/[ \u2009]/));
});

it.each([
  [99.94, "99.9"],
  [99.96, "100"],
  [9.996, "10.0"],
  [0.9996, "1.00"],
  [644.5, "645"],
  [645.5, "646"],
  [-644.5, "-645"],
  [1.125, "1.13"],
  [30.25, "30.3"],
])("%f has three significant digits: %s", (value, text) => expect(significant(value)).toBe(text));

it.each([
  [12, 100, "12 %"],
  [8.8, 100, "8.8 %"],
  [9.96, 100, "10 %"],
  [0, 100, "0 %"],
  [0.01, 100, "< 0.1 %"],
  [5, 0, ""],
  [5, null, ""],
])("%f of %s is “%s”", (part, whole, text) => expect(plain(shareOf(part, whole))).toBe(text));

it.each([
  [0, "0 B"],
  [1500, "1.50 kB"],
  [72_149, "72.1 kB"],
])("%d bytes are %s", (value, text) => expect(plain(bytes(value))).toBe(text));

it.each([
  [-3, "0 s ago"],
  [12, "12 s ago"],
  [240, "4 min ago"],
  [7200, "2 h ago"],
  [864_000, "10 days ago"],
])("%d s are %s", (seconds, text) => expect(plain(age(seconds))).toBe(text));

it("joins neighbours to ranges", () => {
  expect(ranges([3, 4, 5, 6])).toBe("3–6");
  expect(ranges([12, 10, 11, 14])).toBe("10–12, 14");
  expect(ranges([])).toBe("");
});

it("makes sentences and plurals", () => {
  expect(sentence("no GPU work was recorded")).toBe("No GPU work was recorded.");
  expect(sentence("Done.")).toBe("Done.");
  expect([plural(1, "event"), plural(2661, "event")]).toEqual(["1 event", "2,661 events"]);
});
