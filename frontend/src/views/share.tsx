import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Lazy } from "../ui/lazy";
import type { ShareProps } from "./share_menu";

const load = (): Promise<ComponentType<ShareProps>> => import("./share_menu").then((part) => part.ShareMenu);

/** The button that opens what can be taken away from the page. */
export function Share(props: ShareProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const close = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [open]);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div ref={box} class="share" onKeyDown={press}>
      <button ref={button} type="button" class="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
        Export
      </button>
      {open && <Lazy load={load} what="The menu" props={props} />}
    </div>
  );
}
