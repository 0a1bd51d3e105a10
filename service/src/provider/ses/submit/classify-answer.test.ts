import { describe, expect, test } from "vitest";
import { classifyFailure } from "./classify-answer.ts";

const trouble = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { syscall, code, $metadata: { attempts: 1 } });
const coded = (code: string) => Object.assign(new Error("TLS"), { code });
const timeout = (message: string, code?: string) =>
  Object.assign(new Error(message), { name: "TimeoutError", ...(code !== undefined && { code }) });

/** What the network can do that no server on loopback shows. */
describe("a failure of the network", () => {
  const neverLeft = [
    ["no route while connecting", trouble("connect", "EHOSTUNREACH"), undefined],
    ["no network while connecting", trouble("connect", "ENETUNREACH"), undefined],
    ["no answer while connecting", trouble("connect", "ETIMEDOUT"), undefined],
    ["a name server that is busy", trouble("getaddrinfo", "EAI_AGAIN"), undefined],
    [
      "every address refused",
      new AggregateError([trouble("connect", "ECONNREFUSED"), trouble("connect", "ENETUNREACH")]),
      undefined,
    ],
    ["a certificate nobody vouches for", coded("SELF_SIGNED_CERT_IN_CHAIN"), "operator"],
    ["a certificate of another host", coded("ERR_TLS_CERT_ALTNAME_INVALID"), "operator"],
    ["a certificate that is over", coded("CERT_HAS_EXPIRED"), "operator"],
  ] as const;

  test.for(neverLeft)("before anything was written is tried later: %s", ([, error, hold]) => {
    expect(classifyFailure(error)).toMatchObject({ kind: "try-later", hold, isThrottled: false });
  });

  const inDoubt = [
    ["no route while reading", trouble("read", "EHOSTUNREACH")],
    ["no network while writing", trouble("write", "ENETUNREACH")],
    ["no answer while reading", trouble("read", "ETIMEDOUT")],
    ["a reset", trouble("read", "ECONNRESET")],
    ["a broken pipe", trouble("write", "EPIPE")],
    ["a broken TLS record", trouble("write", "EPROTO")],
    ["a hang-up", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })],
    ["errors of which one came later", new AggregateError([trouble("connect", "ETIMEDOUT"), trouble("read", "EIO")])],
    ["errors of which none is known", new AggregateError([])],
    ["the SDK's timeout", timeout("a request has exceeded the configured 15000 ms requestTimeout.", "ETIMEDOUT")],
    ["a timeout of another kind", timeout("The operation was aborted due to timeout")],
    ["our deadline", Object.assign(new Error("Request aborted"), { name: "AbortError" })],
    ["a bug", new TypeError("undefined is not a function")],
    ["nothing at all", undefined],
    ["a text", "broken"],
  ] as const;

  test.for(inDoubt)("after something may have been written is in doubt: %s", ([, error]) => {
    expect(classifyFailure(error)).toMatchObject({ kind: "unknown", message: expect.stringMatching(/./) });
  });
});

test("a message has one line and an end", () => {
  const { message = "" } = classifyFailure(new Error(`${"x".repeat(600)}\n  Deserialization error: inspect this`)) as {
    message?: string;
  };
  expect(message).toBe(`Error: ${"x".repeat(500)}`);
});
