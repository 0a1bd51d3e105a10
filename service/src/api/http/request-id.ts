import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The caller's own id where it is harmless in a log line and a header, so that both sides can search for it. */
export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUIDv7();
}
