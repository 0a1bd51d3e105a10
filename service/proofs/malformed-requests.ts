import fc from "fast-check";
import document from "../openapi.json" with { type: "json" };

export interface RawRequest {
  bytes: Buffer;
  isHead: boolean;
  /** The framing itself may lie, so the connection is not used again. */
  isLastOnConnection: boolean;
}

export interface Credentials {
  token: string;
  key: string;
  refreshToken: string;
  keyId: string;
}

const { constant, constantFrom, oneof, record, string, array, tuple, integer, uint8Array, option } = fc;

const nasty = constantFrom(
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "é",
  "e\u0301",
  "\u2028",
  "\r\nX-Injected: 1",
  "' or 1=1 --",
  "{{7*7}}",
  "../../etc/passwd",
  "😀".repeat(50),
  "x".repeat(5000),
  "null",
  "NaN",
);
const scalar = oneof(
  nasty,
  string(),
  string({ unit: "binary" }),
  fc.double(),
  fc.bigInt().map(Number),
  constantFrom(null, true, false, -0, 1e308, Number.MAX_SAFE_INTEGER),
);
const anyValue: fc.Arbitrary<unknown> = oneof(scalar, fc.jsonValue({ maxDepth: 4 }), array(scalar, { maxLength: 5 }));
const fieldName = oneof(
  constantFrom(
    "name",
    "type",
    "expires_at",
    "email",
    "password",
    "refresh_token",
    "domain_name",
    "from",
    "to",
    "subject",
    "__proto__",
    "constructor",
    "toString",
  ),
  nasty,
  string({ maxLength: 8 }),
);

/** A request that is nearly right, with things wrong in it at every level from the field down to the bytes. */
export function malformedRequest(credentials: Credentials): fc.Arbitrary<RawRequest> {
  return record({
    method: method(),
    path: path(credentials),
    headers: array(header(credentials), { maxLength: 5 }),
    body: option(body(credentials), { freq: 4 }),
    framing: oneof({ weight: 30, arbitrary: constant("right" as const) }, { weight: 1, arbitrary: brokenFraming() }),
  }).map(assemble);
}

function method(): fc.Arbitrary<string> {
  return oneof(
    { weight: 20, arbitrary: constantFrom("GET", "POST", "POST", "POST", "DELETE") },
    { weight: 3, arbitrary: constantFrom("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "LINK") },
    { weight: 1, arbitrary: constantFrom("get", "BREW", "", "G ET", "PO\u0000ST") },
  );
}

function path({ keyId, token }: Credentials): fc.Arbitrary<string> {
  const id = oneof(
    constantFrom(keyId, keyId.toUpperCase(), `{${keyId}}`, "%00", "%zz", "%c0%af", "..", "0", "-1", "1e9", token),
    string().map(encodeURIComponentSafely),
    constant("x".repeat(3000)),
    fc.uuid(),
  );
  const query = oneof(
    { weight: 8, arbitrary: constant("") },
    {
      weight: 1,
      arbitrary: constantFrom("?", "?a", "?a=b&a=c", "?__proto__[x]=1", "?%", "?mode=test&mode=live", "?="),
    },
    { weight: 1, arbitrary: string().map((text) => `?${encodeURIComponentSafely(text)}`) },
    { weight: 2, arbitrary: listParameters() },
  );
  const odd = constantFrom(
    "",
    "*",
    "//",
    "/..",
    "http://evil.test/api/v1/account",
    "/api/v1/api-keys/",
    "/%",
    "/\u0001",
    "?",
  );
  const route = constantFrom(...Object.keys(document.paths), ...besides);
  return oneof(
    { weight: 18, arbitrary: tuple(route, id, query).map(([template, name, rest]) => fill(template, name) + rest) },
    {
      weight: 4,
      arbitrary: tuple(constantFrom("", "/validate"), query).map((parts) => `/api/v1/send${parts.join("")}`),
    },
    {
      weight: 2,
      arbitrary: constantFrom("/api/v1/domains/1", "/api/v1/domains/99999999999", "/api/v1/domains/1/verify"),
    },
    { weight: 2, arbitrary: odd },
    { weight: 1, arbitrary: string({ unit: "grapheme" }).map((text) => `/${encodeURIComponentSafely(text)}`) },
  );
}

/** Paths that the published document leaves out. */
const besides = ["/openapi.json", "/reference/", "/errors/UNAUTHORIZED"];

function fill(template: string, name: string): string {
  return template.replaceAll(/\{\w+\}/g, () => name);
}

/** Filters and places of the listings, with values that are nearly right. */
function listParameters(): fc.Arbitrary<string> {
  const name = constantFrom(
    "limit",
    "page",
    "before",
    "type",
    "mode",
    "email_id",
    "recipient",
    "since",
    "until",
    "status",
    "domain",
    "provider_message_id",
  );
  const value = oneof(
    constantFrom(
      "0",
      "1",
      "100",
      "101",
      "-1",
      "1.5",
      "1e3",
      "99999999999999999999",
      "Bounce",
      "test",
      "queued",
      "sent",
    ),
    constantFrom("2026-11-15T09:30:00Z", "9999-12-31T23:59:59Z", "-000001-01-01T00:00:00Z", "infinity", "now"),
    constantFrom("jane@example.com", "xn--a", "%00", "\ufeff", "{a,b}", "0".repeat(1001)),
    nasty,
    fc.uuid(),
    string({ unit: "binary" }),
  ).map(encodeURIComponentSafely);
  return array(tuple(name, value), { minLength: 1, maxLength: 4 }).map(
    (pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`,
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

function body(credentials: Credentials): fc.Arbitrary<Buffer> {
  const right = constantFrom<Record<string, unknown>>(
    { name: "a key", type: "live" },
    { name: "a key", type: "test", expires_at: "2099-01-01T00:00:00Z" },
    { email: "someone@example.com", password: "wrong" },
    { refresh_token: credentials.refreshToken },
    { domain_name: "reserved.test" },
    { from: "a@shop.io", to: ["jane@example.com"], subject: "Hello", text: "Hi", idempotency_key: "k" },
  );
  const changed = tuple(right, array(tuple(fieldName, anyValue), { maxLength: 3 }), option(fieldName)).map(
    ([fields, additions, dropped]) => {
      const result: Record<string, unknown> = Object.fromEntries([...Object.entries(fields), ...additions]);
      if (dropped !== null) delete result[dropped];
      return JSON.stringify(result);
    },
  );
  const texts = oneof(
    { weight: 10, arbitrary: changed },
    { weight: 3, arbitrary: anyValue.map((value) => JSON.stringify(value) ?? "") },
    { weight: 1, arbitrary: integer({ min: 1, max: 30_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)) },
    { weight: 1, arbitrary: integer({ min: 1, max: 8000 }).map((depth) => '{"a":'.repeat(depth)) },
    {
      weight: 1,
      arbitrary: integer({ min: 60_000, max: 90_000 }).map((size) => JSON.stringify({ name: "n".repeat(size) })),
    },
    {
      weight: 1,
      arbitrary: constantFrom('{"name":1e999}', '{"a":1,"a":2}', "{'name':1}", '"\\ud800"', "\ufeff{}", "{}{}"),
    },
    {
      weight: 1,
      arbitrary: tuple(fieldName, anyValue, anyValue).map(
        ([name, one, other]) =>
          `{${[one, other].map((value) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
      ),
    },
    {
      weight: 1,
      arbitrary: tuple(fieldName, integer({ min: 1, max: 40 })).map(
        ([name, depth]) => `{"to":${`{${JSON.stringify(name)}:`.repeat(depth)}1${"}".repeat(depth)}}`,
      ),
    },
  );
  const bytes = texts.map((text) => Buffer.from(text));
  return oneof(
    { weight: 12, arbitrary: bytes },
    {
      weight: 3,
      arbitrary: tuple(bytes, integer({ min: 0 }), integer({ min: 0, max: 255 })).map(([...parts]) =>
        withOneByte(...parts),
      ),
    },
    {
      weight: 2,
      arbitrary: tuple(bytes, integer({ min: 0 })).map(([whole, at]) => whole.subarray(0, at % (whole.length + 1))),
    },
    { weight: 1, arbitrary: uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)) },
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

interface Parts {
  method: string;
  path: string;
  headers: string[];
  body: Buffer | null;
  framing: "right" | BrokenFraming;
}

function assemble({ method: verb, path: target, headers, body: content, framing }: Parts): RawRequest {
  const lines = [`${verb} ${target} HTTP/1.1`, "host: postern.test", ...headers];
  if (framing === "right") lines.push(...(content === null ? [] : [`content-length: ${content.length}`]));
  else if ("contentLength" in framing) lines.push(`content-length: ${framing.contentLength}`);
  else lines.push("transfer-encoding: chunked");
  const tail =
    framing !== "right" && "chunked" in framing ? Buffer.from(framing.chunked) : (content ?? Buffer.alloc(0));
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), tail]),
    isHead: verb === "HEAD",
    isLastOnConnection: framing !== "right",
  };
}

function withOneByte(whole: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(whole);
  if (changed.length > 0) changed[at % changed.length] = value;
  return changed;
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
