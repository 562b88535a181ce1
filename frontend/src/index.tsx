// TensorBoard imports this module and calls `render`.

import { render as draw } from "preact";
import stylesheet from "./styles/index.css?url";
import { App } from "./views/app";

/** Resolves when the stylesheet is there, or surely will not be: unstyled is better than blank. */
function styled(): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = stylesheet;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}

export async function render(): Promise<void> {
  await styled();
  document.title = "Explain";
  document.documentElement.lang = "en";
  draw(<App />, document.body);
}
