import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../test/builders.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { resumeAccount, suspendAccount } from "../../accounts/account-store.ts";
import { generateApiKey } from "../../api-keys/api-key.ts";

/** Interface, section 5. `/api/v1/account` takes either credential, `/api/v1/api-keys` takes a JWT. */
const api = useTestApi();

describe("valid credentials (interface 5.1, 5.2)", () => {
  test("a route for either credential accepts an API key in X-API-Key", async () => {
    const { key, accountId } = await aSender();
    const { status, json } = await callEither({ key });
    expect([status, json().tenant_id, json().credential]).toEqual([200, accountId, "api_key"]);
  });

  test("a route for either credential accepts a JWT as Authorization: Bearer", async () => {
    const { accessToken, accountId } = await aSender();
    const { status, json } = await callEither({ token: accessToken });
    expect([status, json().tenant_id, json().credential]).toEqual([200, accountId, "jwt"]);
  });

  test("the case of the Bearer scheme does not matter", async () => {
    const { accessToken } = await aSender();
    expect((await callEither({ headers: { authorization: `bearer ${accessToken}` } })).status).toBe(200);
  });

  test("an API key has its own mode, and a JWT is live", async () => {
    const { accessToken, testKey, key } = await aSender();
    const modes = [
      await callEither({ key }),
      await callEither({ key: testKey }),
      await callEither({ token: accessToken }),
    ];
    expect(modes.map(({ json }) => json().mode)).toEqual(["live", "test", "live"]);
  });

  test("an API key works as Authorization: Bearer like in X-API-Key, with its own account and mode", async () => {
    const { accountId, key, testKey } = await aSender();
    const answers = [await callEither({ token: key }), await callEither({ token: testKey })];
    expect(answers.map(({ json }) => [json().tenant_id, json().credential, json().mode])).toEqual([
      [accountId, "api_key", "live"],
      [accountId, "api_key", "test"],
    ]);
  });

  test("with an API key in each header, the one in X-API-Key counts, also when it is invalid", async () => {
    const [one, other] = [await aSender(), await aSender()];
    expect((await callEither({ key: one.key, token: other.key })).json().tenant_id).toBe(one.accountId);
    expect((await callEither({ key: "postern_live_wrong", token: other.key })).status).toBe(401);
  });

  test("with both credentials, a route for either uses the API key", async () => {
    const [one, other] = [await aSender(), await aSender()];
    const { json } = await callEither({ key: one.key, token: other.accessToken });
    expect([json().tenant_id, json().credential]).toEqual([one.accountId, "api_key"]);
  });

  test("with both credentials, an invalid API key gets 401 even if the JWT is valid", async () => {
    const { accessToken } = await aSender();
    expect((await callEither({ key: "postern_live_wrong", token: accessToken })).status).toBe(401);
  });

  test("with both credentials, a route for a JWT uses the JWT", async () => {
    const [one, other] = [await aSender(), await aSender()];
    const { status, json } = await callJwtOnly({ key: one.key, token: other.accessToken });
    expect(status).toBe(200);
    expect(
      json()
        .map(({ id }: { id: string }) => id)
        .toSorted(),
    ).toEqual(other.keyIds.toSorted());
  });
});

describe("missing or invalid credentials give 401 UNAUTHORIZED (interface 5.3)", () => {
  test("without a credential, and the message says what to send", async () => {
    expectRefused(await callEither({}), /API key in X-API-Key/);
    expectRefused(await callJwtOnly({}), /POST \/api\/v1\/auth\/login/);
  });

  test("for an unknown API key", async () => {
    expectRefused(await callEither({ key: generateApiKey("live", "AA").key }), /not known here/);
  });

  test.for(["", "x", "postern_live_", "postern_live_short", "postern_prod_AAaaaa", "postern"])(
    "for an X-API-Key that is not an API key: %j",
    async (key) => {
      expectRefused(await callEither({ key }), /incomplete or has a typo/);
    },
  );

  test.for(["Bearer", "Bearer ", "Basic YTpi", "eyJhbGciOiJFZERTQSJ9", "Bearer a b"])(
    "for an Authorization header that is not Bearer and a token: %j",
    async (authorization) => {
      expectRefused(await callEither({ headers: { authorization } }), /Authorization header must be/);
      expectRefused(await callJwtOnly({ headers: { authorization } }), /Authorization header must be/);
    },
  );

  test("for a JWT in X-API-Key, and the message says so", async () => {
    const { accessToken } = await aSender();
    expectRefused(await callEither({ key: accessToken }), /X-API-Key holds a JWT/);
    expectRefused(await callJwtOnly({ key: accessToken }), /X-API-Key holds a JWT/);
  });

  test("for an API key on a route for a JWT, in either header, and the message says so", async () => {
    const { key } = await aSender();
    expectRefused(await callJwtOnly({ key }), /does not accept API keys/);
    expectRefused(await callJwtOnly({ token: key }), /does not accept API keys/);
  });

  test.for(["postern_live_", "postern_live_short", "postern_prod_AAaaaa"])(
    "for an incomplete API key as Bearer: %j",
    async (token) => {
      expectRefused(await callEither({ token }), /incomplete or has a typo/);
    },
  );
});

describe("credentials that are no longer valid (interface 5.4, 5.5, 5.7)", () => {
  test("an expired API key gets 401, and the message says expired", async () => {
    const { key, keyIds } = await aSender();
    await api.database.db.query({
      name: "expire-keys",
      text: "update api_keys set expires_at = now() where id = any($1::uuid[])",
      values: [keyIds],
    });
    expectRefused(await callEither({ key }), /expired/);
  });

  test("an API key that expires in the future is accepted", async () => {
    const { accountId } = await aSender();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { expiresAt });
    expect((await callEither({ key })).status).toBe(200);
  });

  test("API keys and JWTs of a suspended account get 401 immediately, and work again after it is resumed", async () => {
    const { key, accessToken, accountId } = await aSender();
    await suspendAccount(api.database.db, accountId);
    expectRefused(await callEither({ key }), /suspended/);
    expectRefused(await callJwtOnly({ token: accessToken }), /suspended/);
    await resumeAccount(api.database.db, accountId);
    expect([(await callEither({ key })).status, (await callJwtOnly({ token: accessToken })).status]).toEqual([
      200, 200,
    ]);
  });

  test("a JWT whose login has ended gets 401", async () => {
    const { accessToken } = await aSender();
    await api.call({ method: "POST", path: "/api/v1/auth/logout", token: accessToken });
    expectRefused(await callJwtOnly({ token: accessToken }), /login has ended/);
    expectRefused(await callEither({ token: accessToken }), /login has ended/);
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

function callEither(credentials: Credentials) {
  return api.call({ method: "GET", path: "/api/v1/account", ...credentials });
}

function callJwtOnly(credentials: Credentials) {
  return api.call({ method: "GET", path: "/api/v1/api-keys", ...credentials });
}

function expectRefused(answer: Awaited<ReturnType<typeof callEither>>, message: RegExp): void {
  expect([answer.status, answer.json().error.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(answer.json().error.message).toMatch(message);
}
