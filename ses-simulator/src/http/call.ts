import type { IncomingHttpHeaders } from "node:http";

/** One HTTP request, read to its end. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  requestId: string;
  /** Aborted when the caller goes away or the simulator stops. */
  gone(): AbortSignal;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Iterable<string>;
  /** How a bad day treats the answer: the socket is cut, nothing is said, or it trickles. */
  treatment?: { kind: "reset" } | { kind: "hang" } | { kind: "slow"; seconds: number };
}

export interface Failure {
  status: number;
  name: string;
  message: string;
}

export function json(status: number, content: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(content) };
}
