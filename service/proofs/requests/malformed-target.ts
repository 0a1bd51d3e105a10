import fc from "fast-check";
import document from "../../openapi.json" with { type: "json" };
import { type Credentials, difficultText } from "./malformed-values.ts";

const { array, constant, constantFrom, oneof, string, tuple } = fc;

/** Request targets: known routes with valid and invalid parameters, and invalid paths. */
export function target({ keyId, token }: Credentials): fc.Arbitrary<string> {
  const id = oneof(
    constantFrom(keyId, keyId.toUpperCase(), `{${keyId}}`, "%00", "%zz", "%c0%af", "..", "0", "-1", "1e9", token),
    string().map(encodeText),
    constant("x".repeat(3000)),
    fc.uuid(),
  );
  const query = oneof(
    { weight: 8, arbitrary: constant("") },
    {
      weight: 1,
      arbitrary: constantFrom("?", "?a", "?a=b&a=c", "?__proto__[x]=1", "?%", "?mode=test&mode=live", "?="),
    },
    { weight: 1, arbitrary: string().map((text) => `?${encodeText(text)}`) },
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
  const route = constantFrom(...Object.keys(document.paths), ...undocumentedPaths);
  return oneof(
    { weight: 18, arbitrary: tuple(route, id, query).map(([template, name, rest]) => fill(template, name) + rest) },
    {
      weight: 4,
      arbitrary: tuple(constantFrom("", "/batch", "/validate"), query).map((parts) => `/api/v1/send${parts.join("")}`),
    },
    {
      weight: 2,
      arbitrary: constantFrom("/api/v1/domains/1", "/api/v1/domains/99999999999", "/api/v1/domains/1/verify"),
    },
    { weight: 2, arbitrary: odd },
    { weight: 1, arbitrary: string({ unit: "grapheme" }).map((text) => `/${encodeText(text)}`) },
  );
}

/** Paths that openapi.json does not contain. */
const undocumentedPaths = ["/openapi.json", "/reference/", "/errors/UNAUTHORIZED"];

function fill(template: string, name: string): string {
  return template.replaceAll(/\{\w+\}/g, () => name);
}

/** Filter and page parameters of the lists, with almost valid values. */
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
    difficultText,
    fc.uuid(),
    string({ unit: "binary" }),
  ).map(encodeText);
  return array(tuple(name, value), { minLength: 1, maxLength: 4 }).map(
    (pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`,
  );
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
