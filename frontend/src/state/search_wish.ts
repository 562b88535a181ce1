// The wish to search, uttered by a key or a button and granted by the screen that has a field for it.

import { useEffect } from "preact/hooks";

let open = false;
let grant: (() => void) | null = null;

/** Asks for a search now, or as soon as a screen with a field is there. */
export function wishToSearch(): void {
  if (grant !== null) grant();
  else open = true;
}

/** On a screen with a field: how it takes the focus. The same field as long as the screen is there. */
export function useSearchWish(focus: () => void): void {
  useEffect(() => {
    if (open) focus();
    open = false;
    grant = focus;
    return () => {
      grant = null;
    };
  }, []);
}
