import type { Server } from "node:http";

/** Serves the page and the reports of a directory; port 0 takes a free one. */
export function serve(directory: string, port: number): Promise<Server>;
