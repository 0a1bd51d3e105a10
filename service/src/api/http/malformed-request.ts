import { randomUUIDv7 } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../errors.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { errorBody } from "./error-response.ts";

/**
 * Node's parser rejects malformed, oversized and incomplete requests before Fastify sees them. This handler writes the
 * published error body to the socket itself.
 */
export function createMalformedRequestHandler(publicUrl: string) {
  return (cause: Error & { code?: string }, socket: Socket): void => {
    if (socket.writable && cause.code !== "ECONNRESET") socket.write(rawResponse(errorFor(cause.code), publicUrl));
    socket.destroy();
  };
}

function errorFor(code: string | undefined): AppError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new AppError(
        "HEADERS_TOO_LARGE",
        "The request headers are larger than 16 KiB. Send fewer or shorter headers.",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("REQUEST_TIMEOUT", "The server did not receive the whole request in time. Send it again.");
    default:
      return new AppError(
        "BAD_REQUEST",
        "The server received malformed HTTP. Check the client or the proxy in front of it.",
      );
  }
}

function rawResponse(error: AppError, publicUrl: string): string {
  const { status } = errorCatalogue[error.code];
  const requestId = randomUUIDv7();
  const body = JSON.stringify(errorBody(error, requestId, publicUrl));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
