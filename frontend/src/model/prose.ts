// Text of findings and headlines: paragraphs, `code`, indented or fenced code, figures.

export type Inline = { kind: "text" | "code" | "figure"; text: string };
export type Block = { kind: "paragraph"; text: string } | { kind: "code"; text: string };

const INLINE = /`([^`\n]+)`|([+−-]?\d[\d.,]*[\s\u2009\u202f]?(?:[nµm]?s|%|[kMGT]?B)(?![\w]))/gu;

/** Splits a line into text, code between backticks, and numbers with a time, size or share unit. */
export function inlines(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    const [whole, code] = match;
    parts.push(
      code === undefined ? { kind: "figure", text: keepTogether(whole) } : { kind: "code", text: code },
    );
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

/** A figure never breaks between number and unit. */
function keepTogether(figure: string): string {
  return figure.replace(/[\s\u2009]/u, "\u202f");
}

/** Paragraphs end at an empty line; fenced lines and lines that are indented by four are code. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let fenced = false;
  let open = false;
  for (const line of text.split("\n")) {
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      open = false;
      continue;
    }
    const code = fenced || line.startsWith("    ");
    if (!code && line.trim() === "") {
      open = false;
      continue;
    }
    const kind = code ? "code" : "paragraph";
    const last = found.at(-1);
    const body = fenced || !code ? line : line.slice(4);
    if (open && last?.kind === kind) last.text += (code ? "\n" : " ") + body;
    else found.push({ kind, text: body });
    open = true;
  }
  return found;
}

/** The first sentence, which says what to do, and the rest. */
export function leadSentence(text: string): [string, string] {
  const end = /[.:;](?=\s)/.exec(text);
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 1)] : [text, ""];
}
