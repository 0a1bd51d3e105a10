import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { expect, onTestFinished, test, vi } from "vitest";
import { aConfig } from "../../test/test-config.ts";
import { hashPassword } from "../accounts/password.ts";
import { createCredentialDeps } from "../processes/api-deps.ts";
import { issueAccessToken, verifyAccessToken } from "./access-token.ts";

const { authority } = createCredentialDeps(aConfig()).loginDeps;
const session = { userId: randomUUID(), accountId: randomUUID(), loginId: randomUUID() };
const now = () => Math.floor(Date.now() / 1000);

test("a token is verified while every thread of Node hashes passwords", async () => {
  const token = await issueAccessToken(authority, session, now());
  let hashed = 0;
  const hashes = Array.from({ length: 8 }, () => hashPassword("busy").then(() => (hashed += 1)));
  expect(verifyAccessToken(authority, token)).toMatchObject({ sid: session.loginId });
  expect(hashed).toBe(0);
  await Promise.all(hashes);
});

/** A token with a valid signature of this installation, and one thing that is different. */
function signed({ header = {}, claims = {} }: { header?: object; claims?: object }): Promise<string> {
  const payload = {
    sub: session.userId,
    sid: session.loginId,
    tenant_id: session.accountId,
    cell: authority.cellCode,
    jti: "1",
    iss: authority.issuer,
    aud: "postern",
    iat: now(),
    exp: now() + 900,
    ...claims,
  };
  const head = { alg: "EdDSA", typ: "at+jwt", kid: authority.signing.kid, ...header };
  return new SignJWT(payload).setProtectedHeader(head).sign(authority.signing.privateKey);
}

test.for([
  [{}, "nothing is different"],
  [{ claims: { aud: ["other", "postern"] } }, "one of several audiences is this one"],
  [{ claims: { exp: now() - 30, nbf: now() + 30 } }, "the clock of this process may be wrong by a minute"],
] as const)("%j is accepted: %s", async ([change]) => {
  expect(verifyAccessToken(authority, await signed(change))).toBeDefined();
});

test.for([
  [{ header: { typ: "JWT" } }, "another type"],
  [{ header: { typ: undefined } }, "no type"],
  [{ header: { kid: "other" } }, "an unknown key"],
  [{ header: { kid: undefined } }, "no key"],
  [{ claims: { iss: "https://other.test" } }, "another issuer"],
  [{ claims: { aud: "other" } }, "another audience"],
  [{ claims: { aud: undefined } }, "no audience"],
  [{ claims: { exp: now() - 90 } }, "expired"],
  [{ claims: { exp: undefined } }, "no expiry"],
  [{ claims: { exp: "9999999999" } }, "an expiry that is text"],
  [{ claims: { nbf: now() + 90 } }, "not valid yet"],
  [{ claims: { cell: "ZZ" } }, "another cell"],
] as const)("%j is refused: %s", async ([change]) => {
  expect(verifyAccessToken(authority, await signed(change))).toBeUndefined();
});

test.for([
  ["", "nothing"],
  ["a.b", "two parts"],
  [`${encoded([])}.${encoded({})}.AAAA`, "a header that is a list"],
  [`${encoded({ alg: "none", typ: "at+jwt", kid: authority.signing.kid })}.${encoded({ exp: now() + 900 })}.`, "none"],
  [`${encoded({ alg: "EdDSA", typ: "at+jwt", kid: authority.signing.kid })}.${encoded({})}.AAAA`, "a short signature"],
] as const)("%.20s is refused: %s", ([token]) => {
  expect(verifyAccessToken(authority, token)).toBeUndefined();
});

test("a token with a fourth part, another signed part or a critical extension is refused", async () => {
  const token = await signed({});
  const [head = "", body = "", signature = ""] = token.split(".");
  const other = encoded({ ...JSON.parse(Buffer.from(body, "base64url").toString()), sub: randomUUID() });
  const critical = encoded({ ...JSON.parse(Buffer.from(head, "base64url").toString()), crit: ["x"], x: 1 });
  for (const forged of [`${token}.`, `${head}.${other}.${signature}`, `${critical}.${body}.${signature}`]) {
    expect(verifyAccessToken(authority, forged)).toBeUndefined();
  }
});

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

test("a long text of dots is refused without decoding its thousands of parts, which would take milliseconds", () => {
  const decode = vi.spyOn(Buffer, "from");
  onTestFinished(() => decode.mockRestore());
  expect(verifyAccessToken(authority, ".".repeat(8190))).toBeUndefined();
  expect(decode).not.toHaveBeenCalled();
});
