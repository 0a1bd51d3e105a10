import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Call, Reply } from "./call.ts";

/** A 40 MB mail has 54 MB in base64, and a raw mail is encoded twice. */
const maxBodyBytes = 80 * 1024 * 1024;

export function createHttpServer(answer: (call: Call) => Promise<Reply>, stopping: AbortSignal): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    void handle(incoming, outgoing);
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const body = await readBody(incoming);
      if (body === undefined) return sendReply(outgoing, { status: 413, headers: { connection: "close" }, body: "" });
      sendReply(outgoing, await answer(toCall(incoming, outgoing, body, stopping)));
    } catch (error) {
      // The cause is a bug, a full disk, or a caller that disconnected during its request. The log shows only the first two.
      if (!incoming.destroyed || incoming.complete)
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      if (!outgoing.headersSent)
        outgoing.writeHead(500, { "content-type": "text/plain" }).end("The simulator failed.\n");
    }
  }
}

/** Returns undefined when the request is larger than any request that SES accepts. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  if (incoming.method === "GET") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function toCall(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, stopping: AbortSignal): Call {
  const target = incoming.url ?? "/";
  const queryStart = target.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: queryStart === -1 ? target : target.slice(0, queryStart),
    query: new URLSearchParams(queryStart === -1 ? "" : target.slice(queryStart + 1)),
    headers: incoming.headers,
    body,
    requestId: randomUUID(),
    closed() {
      const disconnected = new AbortController();
      outgoing.once("close", () => disconnected.abort());
      return AbortSignal.any([disconnected.signal, stopping]);
    },
  };
}

function sendReply(outgoing: ServerResponse, reply: Reply): void {
  switch (reply.transmission?.kind) {
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "hang":
      return;
    case "slow":
      writeSlowly(outgoing, reply, reply.transmission.seconds);
      return;
    case undefined:
      write(outgoing, reply);
  }
}

function write(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  // The pipeline applies backpressure, because an export can be larger than memory. A client that disconnects is no error.
  pipeline(Readable.from(body), outgoing).catch(() => {});
}

/** Writes one byte at a time, so that the body takes the given time. Only API replies use it, and their bodies are text. */
function writeSlowly(outgoing: ServerResponse, reply: Reply, seconds: number): void {
  const bytes = Buffer.from(typeof reply.body === "string" ? reply.body : "");
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bytes.length });
  let sent = 0;
  const timer = setInterval(
    () => {
      if (sent < bytes.length) outgoing.write(bytes.subarray(sent, ++sent));
      else outgoing.end();
    },
    (seconds * 1000) / (bytes.length + 1),
  );
  outgoing.once("close", () => clearInterval(timer));
}
