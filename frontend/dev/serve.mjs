// Serves the built page as TensorBoard does, with reports out of a directory instead of an analysis:
//
//     node dev/serve.mjs [DIRECTORY] [PORT]
//
// Each *.json in DIRECTORY is a report, or an answer of the route `report` that has a `state`. The outer
// page stands for TensorBoard: its address holds the state, and its body's class the theme.

import { createServer } from "node:http";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";

const HERE = import.meta.dirname;
const STATIC = resolve(HERE, "../../tb_plugin_explain/static");
const PREFIX = "/data/plugin/explain/";
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };

const OUTER = `<!doctype html><title>Stand-in for TensorBoard</title>
<body style="margin:0"><iframe src="data/plugin_entry.html?name=explain"
 style="border:0;width:100vw;height:100vh;display:block"></iframe>`;

const ENTRY = `<!doctype html><head><base href="plugin/explain/"></head><body>
<script type="module">import("./static/index.js").then((module) => module.render());</script>`;

async function answers(directory) {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const { size, mtimeMs } = await stat(path);
      const body = JSON.parse(await readFile(path, "utf8"));
      return {
        id: name.slice(0, -5),
        size,
        mtimeMs,
        body: body.state ? body : { state: "ready", report: body },
      };
    }),
  );
}

async function runs(directory) {
  const byRun = new Map();
  for (const { id, size, mtimeMs, body } of await answers(directory)) {
    const trace = body.report?.trace;
    const file = {
      id,
      file: trace ? basename(trace.file) : `${id}.pt.trace.json`,
      worker: trace?.worker ?? id,
      span: trace?.span ?? null,
      bytes: size,
      modified_s: mtimeMs / 1000,
      state: body.state === "ready" ? "ready" : body.state,
    };
    const run = trace?.run ?? "states";
    byRun.set(run, [...(byRun.get(run) ?? []), file]);
  }
  const list = [...byRun].map(([name, files]) => ({
    name,
    files: files.sort((a, b) => b.modified_s - a.modified_s),
  }));
  list.sort((a, b) => b.files[0].modified_s - a.files[0].modified_s);
  return { schema: 1, version: "dev", logdirs: ["runs"], scanned: true, runs: list };
}

function send(response, status, type, body, headers = {}) {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff", ...headers });
  response.end(body);
}

async function report(directory, request, response, id) {
  const found = (await answers(directory)).find((answer) => answer.id === id);
  if (!found) return send(response, 404, TYPES[".json"], "{}");
  const etag = `"${found.mtimeMs}"`;
  if (request.headers["if-none-match"] === etag) return send(response, 304, TYPES[".json"], "");
  return send(response, 200, TYPES[".json"], JSON.stringify(found.body), { etag });
}

async function page(response, name) {
  const path = resolve(STATIC, name);
  if (!path.startsWith(STATIC)) return send(response, 404, "text/plain", "");
  return send(response, 200, TYPES[extname(path)] ?? "text/plain", await readFile(path));
}

async function route(directory, request, response) {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/") return send(response, 200, "text/html", OUTER);
  if (url.pathname === "/data/plugin_entry.html") return send(response, 200, "text/html", ENTRY);
  if (!url.pathname.startsWith(PREFIX)) return send(response, 404, "text/plain", "");
  const name = url.pathname.slice(PREFIX.length);
  if (name === "runs") return send(response, 200, TYPES[".json"], JSON.stringify(await runs(directory)));
  if (name === "report") return report(directory, request, response, url.searchParams.get("file"));
  if (name.startsWith("static/")) return page(response, name.slice("static/".length));
  return send(response, 404, "text/plain", "");
}

/** Listens on the loopback device; port 0 takes a free one. Resolves to the server. */
export function serve(directory, port) {
  const server = createServer((request, response) => {
    route(directory, request, response).catch((error) => send(response, 500, "text/plain", String(error)));
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done(server)));
}

if (process.argv[1] === import.meta.filename) {
  const [directory = join(HERE, "../test/fixtures"), port = "6007"] = process.argv.slice(2);
  await serve(resolve(directory), Number(port));
  console.log(`http://127.0.0.1:${port}/#explain`);
}
