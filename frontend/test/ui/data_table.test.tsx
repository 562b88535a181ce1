import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DataTable } from "../../src/ui/data_table";

let root: HTMLElement;

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
});

function show(name: string): HTMLButtonElement | null {
  const table = { kind: "table", columns: ["module", "time_us"], rows: [[name, 12]] } as const;
  act(() => render(<DataTable table={table} shows={null} />, root));
  return root.querySelector<HTMLButtonElement>("button[aria-pressed]");
}

it("shows long names whole at the press of a button, and has none where nothing is cut", () => {
  expect(show("Linear_3")).toBeNull();
  const button = show(`model.${"encoder.layers.".repeat(20)}Linear_3`)!;
  expect(button.textContent).toBe("Full names");
  act(() => button.click());
  expect(button.getAttribute("aria-pressed")).toBe("true");
  expect(root.querySelector(".data")!.classList.contains("full")).toBe(true);
  act(() => button.click());
  expect(root.querySelector(".data")!.classList.contains("full")).toBe(false);
});
