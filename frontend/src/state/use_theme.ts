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

/** The theme to paint, and what a click on the switch should set: null follows TensorBoard again. */
export function useTheme(override: string | null): { theme: Theme; toggled: Theme | null } {
  const [around, setAround] = useState(surrounding);
  useEffect(() => watch(() => setAround(surrounding())), []);
  const theme = override === "light" || override === "dark" ? override : around;
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  return { theme, toggled: other === around ? null : other };
}
