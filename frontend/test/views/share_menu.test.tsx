import { render } from "preact";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ShareMenu } from "../../src/views/share_menu";
import { picked } from "../fixtures";

let root: HTMLElement;

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
});

function show(isCompared: boolean): string[] {
  const sides = { baseline: picked("a"), candidate: picked("b"), page: "candidate" } as const;
  render(<ShareMenu file="b" run="b" step={null} sides={sides} isCompared={isCompared} />, root);
  return [...root.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? "");
}

it("saves the comparison that is on the page once it is made", () => {
  expect(show(false).filter((href) => href.includes("baseline="))).toEqual([]);
  expect(root.textContent).toContain("Once it is made, it can be saved here.");
  const links = show(true).filter((href) => href.includes("baseline=a") && href.includes("candidate=b"));
  expect(links.length).toBeGreaterThan(2);
  expect(root.textContent).not.toContain("Once it is made");
});
