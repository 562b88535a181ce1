// The clipboard, also where the browser gives this page none (no HTTPS).

/** Whether the text could be copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text);
  }
}

function copyByField(text: string): boolean {
  const field = document.createElement("textarea");
  const active = document.activeElement;
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const done = typeof document.execCommand === "function" && document.execCommand("copy");
  field.remove();
  if (active instanceof HTMLElement) active.focus({ preventScroll: true });
  return done;
}
