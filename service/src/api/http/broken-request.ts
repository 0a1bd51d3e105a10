import { randomUUIDv7 } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../errors.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { errorBody } from "./error-response.ts";

/** What never became a request (broken HTTP, endless headers, too slow) is answered on the bare socket, in our shape. */
export function createBrokenRequestHandler(publicUrl: string) {
  return (cause: Error & { code?: string }, socket: Socket): void => {
    if (socket.writable && cause.code !== "ECONNRESET") socket.write(rawResponse(describe(cause.code), publicUrl));
    socket.destroy();
  };
}

function describe(code: string | undefined): AppError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new AppError("HEADERS_TOO_LARGE", "The headers are larger than 16 KiB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("REQUEST_TIMEOUT", "The request was not received completely in time. Send it again.");
    default:
      return new AppError("BAD_REQUEST", "This is not a complete HTTP request.");
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
