import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../test/builders.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { resumeAccount, suspendAccount } from "../../accounts/account-store.ts";
import { generateApiKey } from "../../api-keys/api-key.ts";

/** Interface, section 5. `/api/v1/account` takes either credential, `/api/v1/api-keys` takes a JWT. */
const api = useTestApi();

describe("credentials (interface 5.1, 5.2)", () => {
  test("a path for either accepts an API key in X-API-Key", async () => {
    const { key, accountId } = await aSender();
    const { status, json } = await either({ key });
    expect([status, json().tenant_id, json().credential]).toEqual([200, accountId, "api_key"]);
  });

  test("a path for either accepts a JWT as Authorization: Bearer", async () => {
    const { accessToken, accountId } = await aSender();
    const { status, json } = await either({ token: accessToken });
    expect([status, json().tenant_id, json().credential]).toEqual([200, accountId, "jwt"]);
  });

  test("the scheme is read without regard to case", async () => {
    const { accessToken } = await aSender();
    expect((await either({ headers: { authorization: `bearer ${accessToken}` } })).status).toBe(200);
  });

  test("a key sees its own mode, a JWT is live", async () => {
    const { accessToken, testKey, key } = await aSender();
    const modes = [await either({ key }), await either({ key: testKey }), await either({ token: accessToken })];
    expect(modes.map(({ json }) => json().mode)).toEqual(["live", "test", "live"]);
  });

  test("where both are given the key counts on a path for either", async () => {
    const [one, other] = [await aSender(), await aSender()];
    const { json } = await either({ key: one.key, token: other.accessToken });
    expect([json().tenant_id, json().credential]).toEqual([one.accountId, "api_key"]);
  });

  test("where both are given a bad key is not saved by a good JWT", async () => {
    const { accessToken } = await aSender();
    expect((await either({ key: "postern_live_wrong", token: accessToken })).status).toBe(401);
  });

  test("where both are given the JWT counts on a path for a JWT", async () => {
    const [one, other] = [await aSender(), await aSender()];
    const { status, json } = await jwtOnly({ key: one.key, token: other.accessToken });
    expect(status).toBe(200);
    expect(
      json()
        .map(({ id }: { id: string }) => id)
        .toSorted(),
    ).toEqual(other.keyIds.toSorted());
  });
});

describe("missing or invalid credentials give 401 UNAUTHORIZED (interface 5.3)", () => {
  test("none at all, with a message that says what to send", async () => {
    expectRefused(await either({}), /X-API-Key or a JWT/);
    expectRefused(await jwtOnly({}), /POST \/api\/v1\/auth\/login/);
  });

  test("an unknown key of the right form", async () => {
    expectRefused(await either({ key: generateApiKey("live", "AA").key }), /not known here/);
  });

  test.for(["", "x", "postern_live_", "postern_live_short", "postern_prod_AAaaaa", "postern"])(
    "something that is no key: %j",
    async (key) => {
      expectRefused(await either({ key }), /incomplete or has a typo/);
    },
  );

  test.for(["Bearer", "Bearer ", "Basic YTpi", "eyJhbGciOiJFZERTQSJ9", "Bearer a b"])(
    "an Authorization header that is not Bearer and a token: %j",
    async (authorization) => {
      expectRefused(await either({ headers: { authorization } }), /Authorization header must be/);
      expectRefused(await jwtOnly({ headers: { authorization } }), /Authorization header must be/);
    },
  );

  test("a JWT in X-API-Key, with a message that says so", async () => {
    const { accessToken } = await aSender();
    expectRefused(await either({ key: accessToken }), /X-API-Key holds a JWT/);
    expectRefused(await jwtOnly({ key: accessToken }), /X-API-Key holds a JWT/);
  });

  test("a key as Bearer, with a message that says so", async () => {
    const { key } = await aSender();
    expectRefused(await either({ token: key }), /Send it in the header X-API-Key/);
    expectRefused(await jwtOnly({ token: key }), /needs a JWT/);
  });

  test("a key on a path for a JWT, with a message that says so", async () => {
    const { key } = await aSender();
    expectRefused(await jwtOnly({ key }), /API keys are for sending and GET/);
  });
});

describe("a credential that was good (interface 5.4, 5.5, 5.7)", () => {
  test("an expired key gets 401 and a message that says expired", async () => {
    const { key, keyIds } = await aSender();
    await api.database.db.query({
      name: "expire-keys",
      text: "update api_keys set expires_at = now() where id = any($1::uuid[])",
      values: [keyIds],
    });
    expectRefused(await either({ key }), /expired/);
  });

  test("a key whose expiry lies ahead is accepted", async () => {
    const { accountId } = await aSender();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { expiresAt });
    expect((await either({ key })).status).toBe(200);
  });

  test("keys and JWTs of a suspended account get 401 at once, and work again when it is resumed", async () => {
    const { key, accessToken, accountId } = await aSender();
    await suspendAccount(api.database.db, accountId);
    expectRefused(await either({ key }), /suspended/);
    expectRefused(await jwtOnly({ token: accessToken }), /suspended/);
    await resumeAccount(api.database.db, accountId);
    expect([(await either({ key })).status, (await jwtOnly({ token: accessToken })).status]).toEqual([200, 200]);
  });

  test("a JWT whose login has ended gets 401", async () => {
    const { accessToken } = await aSender();
    await api.call({ method: "POST", path: "/api/v1/auth/logout", token: accessToken });
    expectRefused(await jwtOnly({ token: accessToken }), /login has ended/);
    expectRefused(await either({ token: accessToken }), /login has ended/);
  });
});

async function aSender() {
  const login = await aLogin(api.database.db, api.deps.loginDeps);
  const live = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId);
  const testKey = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId, { type: "test" });
  return { ...login, key: live.key, testKey: testKey.key, keyIds: [live.id, testKey.id] };
}

interface Credentials {
  key?: string;
  token?: string;
  headers?: Record<string, string>;
}

function either(credentials: Credentials) {
  return api.call({ method: "GET", path: "/api/v1/account", ...credentials });
}

function jwtOnly(credentials: Credentials) {
  return api.call({ method: "GET", path: "/api/v1/api-keys", ...credentials });
}

function expectRefused(answer: Awaited<ReturnType<typeof either>>, message: RegExp): void {
  expect([answer.status, answer.json().error.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(answer.json().error.message).toMatch(message);
}
