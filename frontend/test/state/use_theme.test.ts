import { expect, it } from "vitest";
import { nextTheme } from "../../src/state/use_theme";

it.each(["light", "dark"] as const)("goes through three states where it is %s around, and back", (around) => {
  const other = around === "dark" ? "light" : "dark";
  expect(nextTheme(null, around)).toBe(other);
  expect(nextTheme(other, around)).toBe(around);
  expect(nextTheme(around, around)).toBeNull();
});
