import { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { isSmallBody } from "./large-bodies.ts";

const baseMs = 30_000;
/** A caller with 2 Mbit/s can send a large mail in time. */
const bytesPerMs = 200;

/** For a body of this size, from the end of the headers to the end of the body. */
export function bodyDeadlineMs(bytes: number): number {
  return baseMs + Math.ceil(bytes / bytesPerMs);
}

interface DeadlineOptions {
  /** Only tests set it. */
  deadlineMs?: (bytes: number) => number;
}

/**
 * Closes a connection that does not send its body in time, with 408. Node has one limit for all requests, and one that suits the largest
 * mail would let slow clients hold their connections for minutes. A body without a length has the time of a small one.
 */
export function limitBodyTime(
  app: Pick<FastifyInstance, "addHook" | "server">,
  { deadlineMs = bodyDeadlineMs }: DeadlineOptions = {},
): void {
  app.addHook("onRequest", async (request) => {
    const { "content-length": length, "transfer-encoding": chunks } = request.headers;
    if (length === undefined && chunks === undefined) return;
    const { raw } = request;
    // A request that a test injects has no connection to close.
    if (!(raw.socket instanceof Socket)) return;
    const end = () => {
      if (raw.complete || raw.socket.destroyed) return;
      app.server.emit("clientError", new BodyTooSlow(), raw.socket);
    };
    const timer = setTimeout(end, deadlineMs(isSmallBody(request) ? 0 : Number(length ?? 0)));
    const clear = () => clearTimeout(timer);
    raw.once("end", clear);
    raw.once("close", clear);
  });
}

/** As Node's own limit reports it. */
class BodyTooSlow extends Error {
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}
