import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Call, Reply } from "./call.ts";

/** A 40 MB mail is 54 MB in base64, and a raw one is encoded twice. */
const maxBodyBytes = 80 * 1024 * 1024;

export function createHttpServer(answer: (call: Call) => Promise<Reply>, stopping: AbortSignal): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    void handle(incoming, outgoing);
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const body = await readBody(incoming);
      if (body === undefined) return give(outgoing, { status: 413, headers: { connection: "close" }, body: "" });
      give(outgoing, await answer(callOf(incoming, outgoing, body, stopping)));
    } catch (error) {
      // A bug, a full disk, or the caller went away while it was still talking. The first two must be seen.
      if (!incoming.destroyed || incoming.complete)
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      if (!outgoing.headersSent)
        outgoing.writeHead(500, { "content-type": "text/plain" }).end("The simulator failed.\n");
    }
  }
}

/** Undefined when the request is larger than anything SES takes. */
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

function callOf(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, stopping: AbortSignal): Call {
  const target = incoming.url ?? "/";
  const mark = target.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: mark === -1 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1)),
    headers: incoming.headers,
    body,
    requestId: randomUUID(),
    gone() {
      const closed = new AbortController();
      outgoing.once("close", () => closed.abort());
      return AbortSignal.any([closed.signal, stopping]);
    },
  };
}

function give(outgoing: ServerResponse, reply: Reply): void {
  switch (reply.treatment?.kind) {
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "hang":
      return;
    case "slow":
      trickle(outgoing, reply, reply.treatment.seconds);
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
  // A pipeline waits for the reader: an export may be larger than memory. A reader that goes away is no error of ours.
  pipeline(Readable.from(body), outgoing).catch(() => {});
}

/** One byte after the other, so that the whole takes the given time. Only answers of the APIs are treated so: text. */
function trickle(outgoing: ServerResponse, reply: Reply, seconds: number): void {
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
