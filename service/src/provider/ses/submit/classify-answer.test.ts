import { describe, expect, test } from "vitest";
import { classifyFailure } from "./classify-answer.ts";

const networkError = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { syscall, code, $metadata: { attempts: 1 } });
const tlsError = (code: string) => Object.assign(new Error("TLS"), { code });
const timeout = (message: string, code?: string) =>
  Object.assign(new Error(message), { name: "TimeoutError", ...(code !== undefined && { code }) });

/** Network errors that a server on loopback cannot produce. */
describe("a failure of the network", () => {
  const beforeWriting = [
    ["no route while connecting", networkError("connect", "EHOSTUNREACH"), undefined],
    ["no network while connecting", networkError("connect", "ENETUNREACH"), undefined],
    ["a timeout while connecting", networkError("connect", "ETIMEDOUT"), undefined],
    ["a name server that is busy", networkError("getaddrinfo", "EAI_AGAIN"), undefined],
    [
      "every address refused",
      new AggregateError([networkError("connect", "ECONNREFUSED"), networkError("connect", "ENETUNREACH")]),
      undefined,
    ],
    ["a self-signed certificate", tlsError("SELF_SIGNED_CERT_IN_CHAIN"), "operator"],
    ["a certificate of another host", tlsError("ERR_TLS_CERT_ALTNAME_INVALID"), "operator"],
    ["an expired certificate", tlsError("CERT_HAS_EXPIRED"), "operator"],
  ] as const;

  test.for(beforeWriting)("before the request was written is tried later: %s", ([, error, hold]) => {
    expect(classifyFailure(error)).toMatchObject({ kind: "try-later", hold, isThrottled: false });
  });

  const afterWriting = [
    ["no route while reading", networkError("read", "EHOSTUNREACH")],
    ["no network while writing", networkError("write", "ENETUNREACH")],
    ["a timeout while reading", networkError("read", "ETIMEDOUT")],
    ["a reset", networkError("read", "ECONNRESET")],
    ["a broken pipe", networkError("write", "EPIPE")],
    ["a broken TLS record", networkError("write", "EPROTO")],
    ["a hang-up", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })],
    [
      "several errors, one of them while reading",
      new AggregateError([networkError("connect", "ETIMEDOUT"), networkError("read", "EIO")]),
    ],
    ["an aggregate without errors", new AggregateError([])],
    ["the SDK's timeout", timeout("a request has exceeded the configured 15000 ms requestTimeout.", "ETIMEDOUT")],
    ["a timeout of another kind", timeout("The operation was aborted due to timeout")],
    ["our deadline", Object.assign(new Error("Request aborted"), { name: "AbortError" })],
    ["a bug", new TypeError("undefined is not a function")],
    ["undefined", undefined],
    ["a string", "broken"],
  ] as const;

  test.for(afterWriting)("after the request may have been written has an unknown outcome: %s", ([, error]) => {
    expect(classifyFailure(error)).toMatchObject({ kind: "unknown", message: expect.stringMatching(/./) });
  });
});

test.for([
  [{ name: "MessageRejected", $metadata: { httpStatusCode: 400 } }, "MessageRejected"],
  [{ name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } }, "AccessDeniedException"],
  [{ name: "TooManyRequestsException", $metadata: { httpStatusCode: 429 } }, "TooManyRequestsException"],
  [{ name: "ann@example.test", $metadata: { httpStatusCode: 400 } }, "other"],
  [{ name: "InternalServiceErrorException", $metadata: { httpStatusCode: 500 } }, "server-error"],
  [networkError("connect", "ECONNREFUSED"), "no-connection"],
  [networkError("read", "ECONNRESET"), "connection-lost"],
  [timeout("a request has exceeded the configured 15000 ms requestTimeout.", "ETIMEDOUT"), "timeout"],
] as const)("the code for metrics is one of a few names: %j is %s", ([error, errorCode]) => {
  expect(classifyFailure(Object.assign(new Error("text"), error))).toMatchObject({ errorCode });
});

test("the message is one line of limited length", () => {
  const { message = "" } = classifyFailure(new Error(`${"x".repeat(600)}\n  Deserialization error: inspect this`)) as {
    message?: string;
  };
  expect(message).toBe(`Error: ${"x".repeat(500)}`);
});
