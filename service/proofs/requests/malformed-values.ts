import fc from "fast-check";

const { array, constantFrom, oneof, string } = fc;

/** Valid credentials for the requests that should get past authentication. */
export interface Credentials {
  token: string;
  key: string;
  refreshToken: string;
  keyId: string;
}

/** Strings that often break parsers. */
export const difficultText = constantFrom(
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
  difficultText,
  string(),
  string({ unit: "binary" }),
  fc.double(),
  fc.bigInt().map(Number),
  constantFrom(null, true, false, -0, 1e308, Number.MAX_SAFE_INTEGER),
);
export const anyValue: fc.Arbitrary<unknown> = oneof(
  scalar,
  fc.jsonValue({ maxDepth: 4 }),
  array(scalar, { maxLength: 5 }),
);
export const fieldName = oneof(
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
  difficultText,
  string({ maxLength: 8 }),
);
