import fc from "fast-check";
import { body } from "./malformed-body.ts";
import { target } from "./malformed-target.ts";
import type { Credentials } from "./malformed-values.ts";

export interface RawRequest {
  bytes: Buffer;
  isHead: boolean;
  /** The framing can be wrong, so the client does not reuse the connection. */
  isLastOnConnection: boolean;
}

const { array, constant, constantFrom, integer, oneof, option, record } = fc;

/** An almost valid request with errors at every level, from the fields down to the bytes. */
export function malformedRequest(credentials: Credentials): fc.Arbitrary<RawRequest> {
  return record({
    method: method(),
    path: target(credentials),
    headers: array(header(credentials), { maxLength: 5 }),
    body: option(body(credentials), { freq: 4 }),
    framing: oneof({ weight: 30, arbitrary: constant("valid" as const) }, { weight: 1, arbitrary: brokenFraming() }),
  }).map(assemble);
}

function method(): fc.Arbitrary<string> {
  return oneof(
    { weight: 20, arbitrary: constantFrom("GET", "POST", "POST", "POST", "DELETE") },
    { weight: 3, arbitrary: constantFrom("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "LINK") },
    { weight: 1, arbitrary: constantFrom("get", "BREW", "", "G ET", "PO\u0000ST") },
  );
}

function header({ token, key }: Credentials): fc.Arbitrary<string> {
  const cut = integer({ min: 0, max: 100 });
  return oneof(
    { weight: 12, arbitrary: constant(`authorization: Bearer ${token}`) },
    { weight: 2, arbitrary: cut.map((at) => `authorization: Bearer ${token.slice(at)}`) },
    { weight: 2, arbitrary: constantFrom("authorization:", "authorization: Basic Og==", "authorization: Bearer \xff") },
    { weight: 3, arbitrary: constant(`x-api-key: ${key}`) },
    { weight: 1, arbitrary: cut.map((at) => `x-api-key: ${key.slice(at)}`) },
    { weight: 10, arbitrary: constant("content-type: application/json") },
    {
      weight: 2,
      arbitrary: constantFrom("text/plain", "application/json; charset=latin1", "a/b;;;", "*/*").map(
        (type) => `content-type: ${type}`,
      ),
    },
    {
      weight: 1,
      arbitrary: constantFrom(
        "x-request-id: \t",
        "x-request-id: é",
        "expect: 100-continue",
        "upgrade: h2c",
        "te: trailers",
      ),
    },
    {
      weight: 1,
      arbitrary: constantFrom(
        "x-forwarded-for: not an address",
        "host:",
        "cookie: a=b",
        "range: bytes=0-",
        "accept-encoding: br",
      ),
    },
    { weight: 1, arbitrary: integer({ min: 1, max: 30_000 }).map((length) => `x-long: ${"y".repeat(length)}`) },
    { weight: 1, arbitrary: constantFrom("no colon", ": no name", "sp ace: 1", "x\u0000y: 1", " folded") },
  );
}

type BrokenFraming = { contentLength: string } | { chunked: string };

function brokenFraming(): fc.Arbitrary<BrokenFraming> {
  return oneof(
    constantFrom("-1", "x", "1, 2", "99999999999999999999", "0x10", "").map((contentLength) => ({ contentLength })),
    constantFrom(
      "zz\r\nabc\r\n0\r\n\r\n",
      "ffffffffffffffff\r\n",
      "5;ext=1\r\nab",
      "0\r\n\r\n",
      "3\r\n{}\n\r\n0\r\n\r\n",
    ).map((chunked) => ({ chunked })),
  );
}

interface RequestParts {
  method: string;
  path: string;
  headers: string[];
  body: Buffer | null;
  framing: "valid" | BrokenFraming;
}

function assemble({ method: verb, path: requestTarget, headers, body: content, framing }: RequestParts): RawRequest {
  const lines = [`${verb} ${requestTarget} HTTP/1.1`, "host: postern.test", ...headers];
  if (framing === "valid") lines.push(...(content === null ? [] : [`content-length: ${content.length}`]));
  else if ("contentLength" in framing) lines.push(`content-length: ${framing.contentLength}`);
  else lines.push("transfer-encoding: chunked");
  const tail =
    framing !== "valid" && "chunked" in framing ? Buffer.from(framing.chunked) : (content ?? Buffer.alloc(0));
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), tail]),
    isHead: verb === "HEAD",
    isLastOnConnection: framing !== "valid",
  };
}
