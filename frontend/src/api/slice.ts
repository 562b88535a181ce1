// One step as a small trace: asked for until it is made.

import { downloadName, sliceAddress } from "../model/share";
import { Unreachable } from "./client";

const FIRST_DELAY_MS = 300;
const LAST_DELAY_MS = 2000;
const GROWTH = 1.4;

export interface Slice {
  name: string;
  content: Blob;
}

/** Rejects with a sentence where there will be none. */
export async function fetchSlice(file: string, step: number): Promise<Slice> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * GROWTH, LAST_DELAY_MS)) {
    const response = await fetch(sliceAddress(file, step), { credentials: "same-origin" });
    const name = downloadName(response.headers.get("content-disposition"));
    if (response.ok && name !== null) return { name, content: await response.blob() };
    const answer = (await response.json()) as { state?: string; error?: { message: string } };
    if (answer.error) throw new Unreachable(answer.error.message);
    await new Promise((done) => window.setTimeout(done, delay));
  }
}
