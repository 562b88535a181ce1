// A server of a test's own, as the one that the page came from, and a place for what is tested.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { render } from "preact";

export interface OwnServer {
  root: HTMLElement;
  end: () => void;
}

export async function serveWith(answer: RequestListener): Promise<OwnServer> {
  const server = createServer(answer);
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const { port } = server.address() as AddressInfo;
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } };
  happyDOM.setURL(`http://127.0.0.1:${port}/`);
  const root = document.createElement("div");
  document.body.append(root);
  const end = (): void => {
    render(null, root);
    root.remove();
    server.closeAllConnections();
    server.close();
  };
  return { root, end };
}
