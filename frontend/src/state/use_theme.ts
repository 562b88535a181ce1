import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { tensorboardBody } from "./host";

export type Theme = "light" | "dark";

const DARK_CLASS = "dark-mode";

/** TensorBoard's theme where the page is inside it, else the system's. */
function surrounding(): Theme {
  const body = tensorboardBody();
  const dark = body
    ? body.classList.contains(DARK_CLASS)
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? "dark" : "light";
}

function watch(callback: () => void): () => void {
  const body = tensorboardBody();
  if (body) {
    const observer = new MutationObserver(callback);
    observer.observe(body, { attributes: true, attributeFilter: ["class"] });
    return () => observer.disconnect();
  }
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", callback);
  return () => query.removeEventListener("change", callback);
}

/** null: as around the page. */
export interface ThemeSwitch {
  chosen: Theme | null;
  /** What the switch's next press chooses. */
  next: Theme | null;
}

/** Three states in turn: as around the page, then the other theme, then this one whatever is around. */
export function nextTheme(chosen: Theme | null, around: Theme): Theme | null {
  const other = around === "dark" ? "light" : "dark";
  if (chosen === null) return other;
  return chosen === other ? around : null;
}

/** Paints the theme; gives the state of the switch. */
export function useTheme(override: string | null): ThemeSwitch {
  const [around, setAround] = useState(surrounding);
  useEffect(() => watch(() => setAround(surrounding())), []);
  const chosen = override === "light" || override === "dark" ? override : null;
  const theme = chosen ?? around;
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return { chosen, next: nextTheme(chosen, around) };
}
