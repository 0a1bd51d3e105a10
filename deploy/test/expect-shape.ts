import { expect } from "vitest";
import { errorBody } from "../../service/src/api/http/error-response.ts";
import { AppError, type ErrorCode } from "../../service/src/errors.ts";
import type { ProxyResponse } from "./proxy-client.ts";
import { publicUrl } from "./use-two-cells.ts";

/** Expects exactly the body and the headers that the API would send for this code and message. */
export function expectShape({ headers, text }: ProxyResponse, code: ErrorCode): void {
  const { message } = JSON.parse(text).error;
  expect(message).toMatch(/\w\.$/);
  const requestId = String(headers["x-request-id"]);
  expect(text).toBe(JSON.stringify(errorBody(new AppError(code, message), requestId, publicUrl)));
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
}
