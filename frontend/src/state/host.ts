// The window whose address holds the page's state: TensorBoard's, around this frame; else this one.
// This page's own fragment is never used: <base href> would make it lead to another document.

/** TensorBoard's window, where this page runs in its frame and may look at it. */
function tensorboard(): Window | null {
  try {
    const outer = window.parent;
    return outer !== window && typeof outer.location.hash === "string" ? outer : null;
  } catch {
    return null;
  }
}

export function readAddress(): string {
  return tensorboard()?.location.hash ?? window.location.search;
}

/** The address that leads others to what is shown. */
export function shareableAddress(): string {
  return (tensorboard() ?? window).location.href;
}

export function replaceAddress(text: string): void {
  const outer = tensorboard();
  const target = outer ?? window;
  const { pathname, search } = target.location;
  const address = outer ? `${pathname}${search}#${text}` : `${pathname}?${text}`;
  try {
    target.history.replaceState(target.history.state, "", address);
  } catch {
    // A browser refuses more than a hundred changes in half a minute; the next change brings this one too.
  }
}

/** Calls back when somebody else changed the address; returns how to stop it. */
export function onAddressChange(callback: () => void): () => void {
  const target = tensorboard() ?? window;
  target.addEventListener("hashchange", callback);
  return () => target.removeEventListener("hashchange", callback);
}

function isField(element: Element | null | undefined): boolean {
  return element?.matches("input, textarea, select, [contenteditable]") ?? false;
}

/** Whether a field around this page, or in it, has the reader's keys: nothing may take them away. */
export function isTypedInto(): boolean {
  if (isField(document.activeElement)) return true;
  let outer = tensorboard()?.document.activeElement;
  while (outer?.shadowRoot?.activeElement) outer = outer.shadowRoot.activeElement;
  return isField(outer);
}

/** The body that carries TensorBoard's class `dark-mode`. */
export function tensorboardBody(): HTMLElement | null {
  return tensorboard()?.document.body ?? null;
}
