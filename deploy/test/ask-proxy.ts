import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";

export interface Question {
  method?: string;
  path?: string;
  host?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface ProxyAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  ms: number;
}

/** One request on a connection of its own; `fetch` would not let us choose the Host. */
export async function ask(port: number, question: Question = {}): Promise<ProxyAnswer> {
  const { method = "GET", path = "/api/v1/sends", host = "mail.acme.io", headers = {}, body = "" } = question;
  const started = performance.now();
  const options = { host: "127.0.0.1", port, method, path, agent: false, headers: { host, ...headers } };
  const outgoing = request(options).end(body);
  const answer: IncomingMessage = (await once(outgoing, "response"))[0];
  const content = await text(answer);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: content,
    ms: performance.now() - started,
  };
}

/** Bytes on a bare connection, for what no HTTP client would send. Returns all that came back. */
export async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return String(await buffer(socket));
}
