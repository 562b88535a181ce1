// What the reader looks at, as keys of an address: `#explain&p.explain.run=h100&p.explain.step=6`.

// `at` is a range of the timeline in µs from the first step's start, `ev` what is chosen there: an event of the
// file by its number, or a shaded part (part_address.ts). `cmp` is the other file of a comparison, `side` which
// side that is: `candidate`, else the baseline.
const KEYS = [
  "tab",
  "run",
  "worker",
  "file",
  "step",
  "at",
  "ev",
  "finding",
  "cmp",
  "side",
  "device",
  "theme",
] as const;
const PREFIX = "p.explain.";

export type Place = Readonly<Record<(typeof KEYS)[number], string | null>>;

function segments(address: string): string[] {
  return address
    .replace(/^[#?]/, "")
    .split("&")
    .filter((part) => part !== "");
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Whether an address says anything about this page. */
export function mentionsPlace(address: string): boolean {
  return segments(address).some((part) => part.startsWith(PREFIX));
}

export function parsePlace(address: string): Place {
  const found = new Map<string, string | null>();
  for (const part of segments(address)) {
    const [key = "", ...rest] = part.split("=");
    if (key.startsWith(PREFIX)) found.set(key.slice(PREFIX.length), decode(rest.join("=")) || null);
  }
  return Object.fromEntries(KEYS.map((key) => [key, found.get(key) ?? null])) as Place;
}

/** The address with this place in it; keys of others stay as they are, where they are. */
export function writePlace(address: string, place: Place): string {
  const others = segments(address).filter((part) => !part.startsWith(PREFIX));
  const ours = KEYS.flatMap((key) => {
    const value = place[key];
    return value === null ? [] : [`${PREFIX}${key}=${encodeURIComponent(value)}`];
  });
  return [...others, ...ours].join("&");
}
