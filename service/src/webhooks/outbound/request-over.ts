import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";

interface RequestOptions {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

const maxHeaderSize = 16 * 1024;

/** Posts over this connection and no other. Returns when the headers of the answer are there. */
export function requestOver(connection: Socket, options: RequestOptions): Promise<IncomingMessage> {
  const { url, headers, body, signal } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => connection,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": Buffer.byteLength(body), connection: "close" },
      maxHeaderSize,
      signal,
    });
    request.on("response", resolve);
    request.on("error", reject);
    // A status of 101, with which the connection stops being HTTP.
    request.on("upgrade", () => reject(new Error("the endpoint answered with another protocol")));
    request.on("close", () => reject(new Error("the connection ended without an answer")));
    request.end(body);
  });
}
