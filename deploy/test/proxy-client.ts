import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";

export interface ProxyRequest {
  method?: string;
  path?: string;
  host?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface ProxyResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  ms: number;
}

/** Sends one request on a new connection; `fetch` cannot set the Host header. */
export async function sendRequest(port: number, request: ProxyRequest = {}): Promise<ProxyResponse> {
  const { method = "GET", path = "/api/v1/sends", host = "mail.acme.io", headers = {}, body = "" } = request;
  const started = performance.now();
  const options = { host: "127.0.0.1", port, method, path, agent: false, headers: { host, ...headers } };
  const outgoing = httpRequest(options).end(body);
  const response: IncomingMessage = (await once(outgoing, "response"))[0];
  const content = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: content,
    ms: performance.now() - started,
  };
}

/** Sends raw bytes that no HTTP client would send. Returns everything that came back. */
export async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return String(await buffer(socket));
}
