import type { IncomingMessage } from "node:http";

const tickMs = 10;
const bytesPerTick = 256 * 1024;
const requestsPerTick = 4;

const waiting = new Set<IncomingMessage>();
let timer: NodeJS.Timeout | undefined;
/** Negative after more was read than a tick allows. */
let allowedBytes = 0;

/**
 * Reads and discards the body of a request that is answered without it, at most 26 MB a second for all requests of this process
 * together. Node reads such a body as fast as it arrives, so that one tenant with refused requests of 8 MiB kept the process busy.
 * Closing the connection instead could destroy the answer before the client has read it. Returns false for a body that is partly read, and for a closed request.
 */
export function discardBody(request: IncomingMessage): boolean {
  if (request.readableDidRead || request.destroyed) return false;
  request.on("data", (chunk: Buffer) => {
    allowedBytes -= chunk.length;
    if (allowedBytes <= 0) waitForTurn(request);
  });
  request.once("close", () => waiting.delete(request));
  // Node discards the body by itself when the answer ends, unless a read has begun.
  request.read(0);
  waitForTurn(request);
  return true;
}

function waitForTurn(request: IncomingMessage): void {
  request.pause();
  waiting.add(request);
  timer ??= setInterval(resumeNext, tickMs).unref();
}

/** A set keeps the order in which requests were added, so each request has its turn. */
function resumeNext(): void {
  allowedBytes = Math.min(allowedBytes + bytesPerTick, bytesPerTick);
  if (allowedBytes <= 0) return;
  for (const request of [...waiting].slice(0, requestsPerTick)) {
    waiting.delete(request);
    request.resume();
  }
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
