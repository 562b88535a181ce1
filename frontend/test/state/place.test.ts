import { expect, it } from "vitest";
import { mentionsPlace, parsePlace, writePlace } from "../../src/state/place";

const NOWHERE = parsePlace("");

it("reads its keys out of TensorBoard's address", () => {
  const place = parsePlace("#explain&p.explain.run=h100%20%2F%20eager&tagFilter=x&p.explain.step=6");
  expect(place).toEqual({ ...NOWHERE, run: "h100 / eager", step: "6" });
});

it("reads nothing where there is nothing, and survives damaged escapes", () => {
  expect(Object.values(NOWHERE).every((value) => value === null)).toBe(true);
  expect(parsePlace("#explain&p.explain.run=%E0%A4%A").run).toBeNull();
  expect(parsePlace("#explain&p.explain.run=").run).toBeNull();
  expect(parsePlace("#explain&p.explain.run=a=b").run).toBe("a=b");
});

it("writes its keys and leaves those of others as they are", () => {
  const place = { ...NOWHERE, run: "a & b", file: "5f0c", theme: "dark" };
  const address = writePlace("#explain&p.other.x=1&p.explain.step=3&tagFilter=%2F", place);
  expect(address).toBe(
    "explain&p.other.x=1&tagFilter=%2F&p.explain.run=a%20%26%20b&p.explain.file=5f0c&p.explain.theme=dark",
  );
  expect(parsePlace(address)).toEqual(place);
});

it("comes back whole for any text", () => {
  const place = { ...NOWHERE, run: "#?&=%/ ‮עברית 😀", finding: "rule@3~2" };
  expect(parsePlace(writePlace("#explain", place))).toEqual(place);
});

it("tells addresses that are about this page from others", () => {
  expect(mentionsPlace("#explain&p.explain.run=x")).toBe(true);
  expect(mentionsPlace("#scalars")).toBe(false);
});
