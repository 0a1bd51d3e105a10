import type { IncomingHttpHeaders } from "node:http";

/** A completely received HTTP request. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  requestId: string;
  /** Returns a signal that aborts when the caller disconnects or the simulator stops. */
  closed(): AbortSignal;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Iterable<string>;
  /** How a fault disturbs the transmission: the server resets the connection, never answers, or sends slowly. */
  transmission?: { kind: "reset" } | { kind: "hang" } | { kind: "slow"; seconds: number };
}

export interface Failure {
  status: number;
  name: string;
  message: string;
}

export function json(status: number, content: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(content) };
}
