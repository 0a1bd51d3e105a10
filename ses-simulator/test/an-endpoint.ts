import { generateKeyPair } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { selfSignedCertificate } from "../src/sns/certificate.ts";
import type { AnyEvent } from "./builders.ts";

interface Pushed {
  headers: IncomingHttpHeaders;
  text: string;
  body: AnyEvent;
  at: number;
}

type Status = number | "hang";

/** A subscriber on loopback. It answers with `statuses` in order and then with 200. `next()` waits for the next push. */
export async function anEndpoint(...statuses: Status[]) {
  return listen("http", statuses, createServer());
}

/** The same over TLS, with a self-signed certificate. */
export async function anHttpsEndpoint(...statuses: Status[]) {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const cert = selfSignedCertificate(privateKey, "127.0.0.1", new Date());
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return listen("https", statuses, createHttpsServer({ key, cert }));
}

async function listen(scheme: "http" | "https", statuses: Status[], server: Server) {
  const pushes: Pushed[] = [];
  const waiting: ((pushed: Pushed) => void)[] = [];
  server.on("request", (request, response) => {
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
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `${scheme}://127.0.0.1:${port}/feedback`,
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
