import { createHmac } from "node:crypto";
import { exportSPKI, importJWK, type JWTPayload } from "jose";
import {
  type Answers,
  claimsOf,
  clientSecret,
  type ForgingIssuer,
  makeSigningKey,
  signToken,
  tokenBody,
} from "../../test/forging-issuer.ts";

/** What a hostile or broken issuer answers to an otherwise honest log-in. */
export interface ForgedAnswer {
  name: string;
  answers: Partial<Answers>;
}

/** Local users have this address too. It is in no rule. */
export const ownersEmail = "owner@acme.test";
/** A rule gives the person with this address an account. */
export const mappedEmail = "mapped@acme.test";

type Change = (claims: JWTPayload & Record<string, unknown>) => Record<string, unknown>;

const now = () => Math.floor(Date.now() / 1000);

const without =
  (...names: string[]): Change =>
  (claims) =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
const withoutGroups = without("groups");

const changedClaims: Record<string, Change> = {
  "aud of another client": (claims) => ({ ...claims, aud: "another-client" }),
  "aud in other case": (claims) => ({ ...claims, aud: "POSTERN" }),
  "aud list without us": (claims) => ({ ...claims, aud: ["a", "b"] }),
  "aud list with another azp": (claims) => ({ ...claims, aud: ["postern", "b"], azp: "b" }),
  "aud list without azp": (claims) => ({ ...claims, aud: ["postern", "b"] }),
  "another azp": (claims) => ({ ...claims, azp: "another-client" }),
  "no aud": without("aud"),
  "empty aud list": (claims) => ({ ...claims, aud: [] }),
  "another iss": (claims) => ({ ...claims, iss: "https://login.example.com" }),
  "iss with a slash": (claims) => ({ ...claims, iss: `${claims.iss}/` }),
  "no iss": without("iss"),
  "no nonce": without("nonce"),
  "empty nonce": (claims) => ({ ...claims, nonce: "" }),
  "another nonce": (claims) => ({ ...claims, nonce: "A".repeat(43) }),
  "nonce as a list": (claims) => ({ ...claims, nonce: [claims.nonce] }),
  expired: (claims) => ({ ...claims, exp: now() - 120 }),
  "no exp": without("exp"),
  "exp as text": (claims) => ({ ...claims, exp: `${claims.exp}` }),
  "nbf in the future": (claims) => ({ ...claims, nbf: now() + 600 }),
  "no iat": without("iat"),
  "no sub": without("sub"),
  "empty sub": (claims) => ({ ...claims, sub: "" }),
  "sub as a number": (claims) => ({ ...claims, sub: 1 }),
  "sub of 256 characters": (claims) => ({ ...claims, sub: "a".repeat(256) }),
  "sub with NUL": (claims) => ({ ...claims, sub: "ada\0" }),
  "no group": without("groups"),
  "group in other case": (claims) => ({ ...claims, groups: ["Mail-Team"] }),
  "group with a space": (claims) => ({ ...claims, groups: ["mail-team "] }),
  "groups as JSON text": (claims) => ({ ...claims, groups: '["mail-team"]' }),
  "groups as an object": (claims) => ({ ...claims, groups: { "mail-team": true } }),
  "group in a nested list": (claims) => ({ ...claims, groups: [["mail-team"]] }),
  "mapped email, not verified": (claims) => ({
    ...withoutGroups(claims),
    email: mappedEmail,
    email_verified: false,
  }),
  "mapped email, verified as text": (claims) => ({
    ...withoutGroups(claims),
    email: mappedEmail,
    email_verified: "true",
  }),
  "mapped email, nothing said of it": (claims) => ({
    ...without("groups", "email_verified")(claims),
    email: mappedEmail,
  }),
  "email of an owner, verified": (claims) => ({ ...withoutGroups(claims), email: ownersEmail }),
};

const b64 = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

export async function forgedAnswers(issuer: ForgingIssuer): Promise<ForgedAnswer[]> {
  const attacker = await makeSigningKey(issuer.key.kid);
  const publicKey = await importJWK(issuer.key.publicJwk, "ES256");
  if (publicKey instanceof Uint8Array) throw new Error("an EC key is not a list of bytes");
  const pem = await exportSPKI(publicKey);
  const give = (name: string, make: (claims: JWTPayload) => unknown): ForgedAnswer => ({
    name,
    answers: { token: async (nonce) => tokenBody(await make(claimsOf(issuer, nonce))) },
  });
  const hmac = (claims: JWTPayload, key: string) => {
    const text = `${b64({ alg: "HS256", kid: issuer.key.kid })}.${b64(claims)}`;
    return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
  };
  const signed = (claims: JWTPayload, header: object = {}) => signToken(issuer.key, claims, header);
  const withSignature = async (claims: JWTPayload, change: (parts: string[]) => string[]) =>
    change((await signed(claims)).split(".")).join(".");
  return [
    ...Object.entries(changedClaims).map(([name, change]) => give(name, (claims) => signed(change(claims)))),
    give("alg none", (claims) => `${b64({ alg: "none" })}.${b64(claims)}.`),
    give("alg None with a signature", (claims) =>
      withSignature(claims, ([, ...rest]) => [b64({ alg: "None" }), ...rest]),
    ),
    give("HS256 with the client secret", (claims) => hmac(claims, clientSecret)),
    give("HS256 with the public key", (claims) => hmac(claims, pem)),
    give("key of an attacker under our kid", (claims) => signToken(attacker, claims)),
    give("key of an attacker, unknown kid", (claims) => signToken({ ...attacker, kid: "x" }, claims)),
    give("key of an attacker in the header", (claims) => signToken(attacker, claims, { jwk: attacker.publicJwk })),
    give("key set of an attacker in the header", (claims) =>
      signToken(attacker, claims, { jku: "http://127.0.0.1:1/" }),
    ),
    give("signature cut off", (claims) => withSignature(claims, ([head = "", body = ""]) => [head, body, ""])),
    give("signature changed", (claims) =>
      withSignature(claims, ([head = "", body = "", end = ""]) => [
        head,
        body,
        `${end[0] === "A" ? "B" : "A"}${end.slice(1)}`,
      ]),
    ),
    give("claims changed after signing", (claims) =>
      withSignature(claims, ([head = "", , end = ""]) => [head, b64({ ...claims, sub: "root" }), end]),
    ),
    give("another algorithm in the header", (claims) =>
      withSignature(claims, ([, body = "", end = ""]) => [b64({ alg: "RS256", kid: issuer.key.kid }), body, end]),
    ),
    give("critical extension", (claims) => signed(claims, { crit: ["b64"], b64: true })),
    give("five parts", async (claims) => `${await signed(claims)}.a.b`),
    give("no ID token", () => undefined),
    give("ID token as a list", async (claims) => [await signed(claims)]),
    give("text that is no token", () => "a.b.c"),
    { name: "key withdrawn by the issuer", answers: { keys: () => [] } },
    { name: "key for encryption", answers: { keys: (keys) => keys.map((key) => ({ ...key, use: "enc" })) } },
    { name: "rotated: only another key is left", answers: { keys: () => [{ ...attacker.publicJwk, kid: "k9" }] } },
    {
      name: "token endpoint redirects",
      answers: { token: async () => ({ status: 302, headers: { location: `${issuer.url}/keys` }, body: "" }) },
    },
    { name: "token endpoint fails", answers: { token: async () => ({ status: 500, body: {} }) } },
    {
      name: "token endpoint answers HTML",
      answers: { token: async () => ({ headers: { "content-type": "text/html" }, body: "<p>" }) },
    },
    {
      name: "token response of a mebibyte",
      answers: { token: async () => ({ body: { access_token: "a".repeat(1_048_576) } }) },
    },
    {
      name: "code refused by the issuer",
      answers: { token: async () => ({ status: 400, body: { error: "invalid_grant" } }) },
    },
  ];
}
