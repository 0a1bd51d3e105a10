import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AnyEvent } from "./builders.ts";

interface Pushed {
  headers: IncomingHttpHeaders;
  text: string;
  body: AnyEvent;
  at: number;
}

/** A subscriber on loopback. Answers come from `statuses` in turn, then 200; `next()` waits for the next push. */
export async function anEndpoint(...statuses: (number | "hang")[]) {
  const pushes: Pushed[] = [];
  const waiting: ((pushed: Pushed) => void)[] = [];
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const pushed = { headers: request.headers, text, body: parse(text), at: Date.now() };
    const status = statuses.shift() ?? 200;
    if (status !== "hang") response.writeHead(status).end();
    const next = waiting.shift();
    if (next === undefined) pushes.push(pushed);
    else next(pushed);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/feedback`,
    unread: pushes,
    next: async (): Promise<Pushed> => pushes.shift() ?? new Promise<Pushed>((resolve) => waiting.push(resolve)),
  };
}

function parse(text: string): AnyEvent {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
