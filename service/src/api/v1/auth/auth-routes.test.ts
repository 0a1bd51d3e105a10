import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { aLogin, aUser } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { suspendAccount } from "../../../accounts/account-store.ts";

const api = useTestApi();

describe("POST /api/v1/auth/login", () => {
  test("200 returns a working access token and a refresh token that names the cell", async () => {
    const user = await aUser(api.database.db);
    const { status, json } = await logIn(user);
    expect(status).toBe(200);
    expect(json()).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
      refresh_token: expect.stringMatching(/^AA[A-Za-z0-9_-]{86}$/),
    });
    expect(await statusOf(json().access_token)).toBe(200);
  });

  test("the access token contains the documented claims and no personal data", async () => {
    const user = await aUser(api.database.db);
    const token: string = (await logIn(user)).json().access_token;
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)];
    expect(header).toEqual({ alg: "EdDSA", typ: "at+jwt", kid: "k1" });
    expect(Object.keys(claims).toSorted()).toEqual(
      ["aud", "cell", "exp", "iat", "iss", "jti", "sid", "sub", "tenant_id"].toSorted(),
    );
    expect(claims).toMatchObject({
      iss: "http://postern.test",
      aud: "postern",
      sub: user.id,
      tenant_id: user.accountId,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
  });

  test("the case of the email address does not matter", async () => {
    const user = await aUser(api.database.db);
    expect((await logIn({ ...user, email: user.email.toUpperCase() })).status).toBe(200);
  });

  test("an unknown user and a wrong password get the same 401 body", async () => {
    const user = await aUser(api.database.db);
    const responses = [
      await logIn({ ...user, password: "wrong" }),
      await logIn({ ...user, email: "nobody@example.com" }),
    ];
    const texts = responses.map(({ status, text }) => {
      expect(status).toBe(401);
      return text.replace(/"request_id":"[^"]+"/, "");
    });
    expect(texts[0]).toBe(texts[1]);
  });

  test("a suspended account gets 401, and only a correct password reveals the suspension", async () => {
    const user = await aUser(api.database.db);
    await suspendAccount(api.database.db, user.accountId);
    expect((await logIn(user)).json().error.message).toContain("suspended");
    expect((await logIn({ ...user, password: "wrong" })).json().error.message).not.toContain("suspended");
  });

  test("422 names the missing and the unknown fields", async () => {
    const { status, json } = await api.call({ method: "POST", path: "/api/v1/auth/login", body: { mail: "a@b" } });
    expect(status).toBe(422);
    expect(json().error.details.map(({ field }: { field: string }) => field)).toEqual(["email", "password", "mail"]);
  });

  test("five failures of one user from one address lead to 429 with Retry-After", async () => {
    const user = await aUser(api.database.db);
    const from = "198.51.100.7";
    for (let tries = 0; tries < 5; tries++) {
      expect((await logIn({ ...user, password: "wrong" }, from)).status).toBe(401);
    }
    const { status, headers, json } = await logIn(user, from);
    expect([status, json().error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(800);
    expect((await logIn(user, "198.51.100.8")).status, "the user can log in from another address").toBe(200);
  });
});

describe("POST /api/v1/auth/login behind a proxy", () => {
  const behindProxy = useTestApi({ TRUSTED_PROXIES: "10.0.0.0/8" });
  const through = async (proxy: string, forwardedFor: string) => {
    const { status } = await behindProxy.call({
      method: "POST",
      path: "/api/v1/auth/login",
      body: { email: "someone@example.com", password: "wrong" },
      headers: { "x-forwarded-for": forwardedFor },
      remoteAddress: proxy,
    });
    return status;
  };

  test("failures count against the address that a trusted proxy reports, not against the proxy", async () => {
    for (let tries = 0; tries < 5; tries++) await through("10.0.0.1", "203.0.113.5");
    expect(await through("10.0.0.2", "203.0.113.5")).toBe(429);
    expect(await through("10.0.0.1", "203.0.113.6")).toBe(401);
  });

  test("an address reported by an untrusted peer is ignored", async () => {
    for (let tries = 0; tries < 5; tries++) await through("198.51.100.99", `203.0.113.${tries + 50}`);
    expect(await through("198.51.100.99", "203.0.113.200")).toBe(429);
  });
});

describe("POST /api/v1/auth/logout", () => {
  test("200 ends this login immediately, and another login of the user stays open", async () => {
    const user = await aUser(api.database.db);
    const [one, other] = [(await logIn(user)).json(), (await logIn(user)).json()];
    const { status, json } = await api.call({ method: "POST", path: "/api/v1/auth/logout", token: one.access_token });
    expect([status, json().success]).toEqual([200, true]);
    expect([await statusOf(one.access_token), await statusOf(other.access_token)]).toEqual([401, 200]);
  });

  test("401 for a login that has already ended", async () => {
    const { accessToken } = await aSession();
    await api.call({ method: "POST", path: "/api/v1/auth/logout", token: accessToken });
    expect((await api.call({ method: "POST", path: "/api/v1/auth/logout", token: accessToken })).status).toBe(401);
  });
});

test("GET /.well-known/jwks.json returns the public key without its private key", async () => {
  const { status, json } = await api.call({ method: "GET", path: "/.well-known/jwks.json" });
  expect(status).toBe(200);
  expect(json()).toEqual({
    keys: [{ kty: "OKP", crv: "Ed25519", kid: "k1", use: "sig", alg: "EdDSA", x: expect.stringMatching(/^.{43}$/) }],
  });
});

function aSession() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function logIn({ email, password }: { email: string; password: string }, remoteAddress = "203.0.113.1") {
  return api.call({ method: "POST", path: "/api/v1/auth/login", body: { email, password }, remoteAddress });
}

async function statusOf(token: string): Promise<number> {
  return (await api.call({ method: "GET", path: "/api/v1/api-keys", token })).status;
}
