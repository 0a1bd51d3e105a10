import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();
const aSession = (options: { accountId?: string } = {}) => aLogin(api.database.db, api.deps.loginDeps, options);
const aKeyOf = (accountId: string) => anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId);

describe("POST /api/v1/api-keys (interface 4.7)", () => {
  test("201 returns all fields of the key, including the full key", async () => {
    const { accessToken } = await aSession();
    const { status, json } = await create(accessToken, { name: "billing", type: "live" });
    expect(status).toBe(201);
    const key = json();
    expect(Object.keys(key).toSorted()).toEqual(
      [
        "created_at",
        "created_by",
        "domain",
        "expires_at",
        "id",
        "key",
        "key_prefix",
        "last_used_at",
        "name",
        "scopes",
        "type",
      ].toSorted(),
    );
    expect(key).toMatchObject({ name: "billing", type: "live", expires_at: null });
    expect(key).toMatchObject({ scopes: ["send"], domain: null, last_used_at: null });
    expect(key.key).toMatch(/^postern_live_AA[A-Za-z0-9_-]{49}$/);
    expect(key.key_prefix).toBe(`${key.key.slice(0, "postern_live_".length + 6)}...`);
    expect(Math.abs(Date.now() - Date.parse(key.created_at))).toBeLessThan(60_000);
  });

  test("a test key has the type test and the prefix postern_test_", async () => {
    const { accessToken } = await aSession();
    const key = (await create(accessToken, { name: "dev", type: "test" })).json();
    expect(key.type).toBe("test");
    expect(key.key).toMatch(/^postern_test_/);
  });

  test("expires_at is returned as the same instant in UTC", async () => {
    const { accessToken } = await aSession();
    const { json } = await create(accessToken, { name: "k", type: "live", expires_at: "2099-01-31T12:00:00+02:00" });
    expect(json().expires_at).toBe("2099-01-31T10:00:00.000Z");
  });

  test.for([
    ["2099-01-31", "2099-01-31T00:00:00.000Z"],
    ["2099-01-31T12:00", "2099-01-31T12:00:00.000Z"],
    ["20990131T120000Z", "2099-01-31T12:00:00.000Z"],
    ["2099-W05-6", "2099-01-31T00:00:00.000Z"],
  ] as const)("expires_at %s, without a zone in UTC, is %s", async ([given, expires_at]) => {
    const { accessToken } = await aSession();
    const { status, json } = await create(accessToken, { name: "k", type: "live", expires_at: given });
    expect([status, json().expires_at]).toEqual([201, expires_at]);
  });

  test("expires_at null creates a key that does not expire", async () => {
    const { accessToken } = await aSession();
    const { status, json } = await create(accessToken, { name: "k", type: "live", expires_at: null });
    expect([status, json().expires_at]).toEqual([201, null]);
  });

  test("every key is unique", async () => {
    const { accessToken } = await aSession();
    const keys = await Promise.all([1, 2, 3].map(() => create(accessToken, { name: "k", type: "live" })));
    expect(new Set(keys.map(({ json }) => json().key)).size).toBe(3);
  });

  const invalid: [string, unknown, string[]][] = [
    ["no fields", {}, ["name", "type"]],
    ["a blank name", { name: "  ", type: "live" }, ["name"]],
    ["a name with a line break", { name: "a\nb", type: "live" }, ["name"]],
    ["a name of 201 characters", { name: "n".repeat(201), type: "live" }, ["name"]],
    ["an unknown type", { name: "k", type: "staging" }, ["type"]],
    ["a type that is not a string", { name: "k", type: 1 }, ["type"]],
    ["an expiry in the past", { name: "k", type: "live", expires_at: "2020-01-01T00:00:00Z" }, ["expires_at"]],
    ["an expiry that is not a time", { name: "k", type: "live", expires_at: "tomorrow" }, ["expires_at"]],
    ["an expiry without a day", { name: "k", type: "live", expires_at: "2099-01" }, ["expires_at"]],
    ["an empty expiry", { name: "k", type: "live", expires_at: "" }, ["expires_at"]],
    ["the year zero", { name: "k", type: "live", expires_at: "0000-01-01T00:00:00Z" }, ["expires_at"]],
    ["a day that does not exist", { name: "k", type: "live", expires_at: "2099-02-30T00:00:00Z" }, ["expires_at"]],
    ["an unknown field", { name: "k", type: "live", scope: "all" }, ["scope"]],
    ["a list instead of an object", [], ["body"]],
    ["null", null, ["body"]],
  ];
  test.for(invalid)("422 for %s, naming the field", async ([, body, fields]) => {
    const { accessToken } = await aSession();
    const { status, json } = await create(accessToken, body);
    expect(status).toBe(422);
    expect(json().error.code).toBe("VALIDATION_ERROR");
    expect(json().error.details.map((problem: { field: string }) => problem.field)).toEqual(fields);
  });

  test("422 suggests the nearest known field for a misspelt one", async () => {
    const { accessToken } = await aSession();
    const { json } = await create(accessToken, { name: "k", type: "live", expiresAt: "2099-01-01T00:00:00Z" });
    expect(json().error.message).toContain("did you mean expires_at?");
  });

  test("422 at the limit of keys, also for keys that are created at once; revoked and expired keys do not count", async () => {
    const { accessToken, accountId } = await aSession();
    await setKeyLimit(accountId, 3);
    const [revoked, expired] = [await aKeyOf(accountId), await aKeyOf(accountId)];
    await revoke(accessToken, revoked.id);
    await expire(expired.id);
    const made = await Promise.all(Array.from({ length: 8 }, () => create(accessToken, { name: "k", type: "live" })));
    expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 201, 201, 422, 422, 422, 422, 422,
    ]);
    expect(made.find(({ status }) => status === 422)?.json().error).toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("limit of 3 API keys. Revoke one"),
    });
    await revoke(accessToken, made.find(({ status }) => status === 201)?.json().id);
    expect((await create(accessToken, { name: "k", type: "live" })).status).toBe(201);
  });

  test("an account has a limit of 100 keys", async () => {
    const { accessToken, accountId } = await aSession();
    await insertKeys(accountId, 99);
    const statuses = [];
    for (const name of ["last", "too many"]) statuses.push((await create(accessToken, { name, type: "live" })).status);
    expect(statuses).toEqual([201, 422]);
  });

  test("401 without a JWT, even when the body is invalid", async () => {
    const { status, json } = await api.call({ method: "POST", path: "/api/v1/api-keys", rawBody: "{not json" });
    expect([status, json().error.code]).toEqual([401, "UNAUTHORIZED"]);
  });

  test("401 for an API key, because a key cannot create keys", async () => {
    const { accountId } = await aSession();
    const { key } = await aKeyOf(accountId);
    const { status } = await api.call({
      method: "POST",
      path: "/api/v1/api-keys",
      key,
      body: { name: "k", type: "live" },
    });
    expect(status).toBe(401);
  });
});

describe("GET /api/v1/api-keys (interface 4.8)", () => {
  test("200 returns a bare array of all keys of the account, newest first, without the full key", async () => {
    const { accessToken } = await aSession();
    const made = [];
    for (const name of ["one", "two", "three"]) {
      made.push((await create(accessToken, { name, type: "test" })).json());
    }
    const { status, json, text } = await list(accessToken);
    expect(status).toBe(200);
    const expected = made.toReversed().map(({ key: _secret, ...rest }) => rest);
    expect(json()).toEqual(expected);
    for (const { key } of made) expect(text).not.toContain(key);
  });

  test("the list ends after the newest 1,000 keys", async () => {
    const { accessToken, accountId } = await aSession();
    await insertKeys(accountId, 1_005);
    const names = (await list(accessToken)).json().map(({ name }: { name: string }) => name);
    expect([names.length, names[0], names[999]]).toEqual([1000, "key 1005", "key 6"]);
  });

  test("an account without keys gets an empty array", async () => {
    const { accessToken } = await aSession();
    expect((await list(accessToken)).json()).toEqual([]);
  });

  test("keys of another account are not listed", async () => {
    const [mine, other] = [await aSession(), await aSession()];
    await create(other.accessToken, { name: "theirs", type: "live" });
    expect((await list(mine.accessToken)).json()).toEqual([]);
  });

  test("the list contains expired keys but no revoked keys", async () => {
    const { accessToken, accountId } = await aSession();
    const [expired, revoked] = [await aKeyOf(accountId), await aKeyOf(accountId)];
    await expire(expired.id);
    await revoke(accessToken, revoked.id);
    expect((await list(accessToken)).json().map(({ id }: { id: string }) => id)).toEqual([expired.id]);
  });

  test("401 without a JWT", async () => {
    expect((await api.call({ method: "GET", path: "/api/v1/api-keys" })).status).toBe(401);
  });
});

describe("DELETE /api/v1/api-keys/:id (interface 4.9)", () => {
  test("200 confirms the revocation in a message", async () => {
    const { accessToken, accountId } = await aSession();
    const { id } = await aKeyOf(accountId);
    const { status, json } = await revoke(accessToken, id);
    expect(status).toBe(200);
    expect(json()).toEqual({ message: expect.stringContaining("revoked") });
  });

  test("a revoked key immediately gets 401 with a message that says it is revoked", async () => {
    const { accessToken, accountId } = await aSession();
    const { id, key } = await aKeyOf(accountId);
    expect((await whoAmI(key)).status).toBe(200);
    await revoke(accessToken, id);
    const { status, json } = await whoAmI(key);
    expect([status, json().error.code]).toEqual([401, "UNAUTHORIZED"]);
    expect(json().error.message).toContain("revoked");
  });

  test("a second revocation of a key returns 404", async () => {
    const { accessToken, accountId } = await aSession();
    const { id } = await aKeyOf(accountId);
    await revoke(accessToken, id);
    expect((await revoke(accessToken, id)).status).toBe(404);
  });

  test("a key of another account returns the same 404 body as an unknown id and stays valid", async () => {
    const [mine, other] = [await aSession(), await aSession()];
    const theirs = await aKeyOf(other.accountId);
    const responses = await Promise.all(
      [theirs.id, randomUUIDv7(), "not-a-uuid", "%F0%9F%94%91"].map((id) => revoke(mine.accessToken, id)),
    );
    const texts = responses.map(({ status, text }) => {
      expect(status).toBe(404);
      return text.replace(/"request_id":"[^"]+"/, '"request_id":""');
    });
    expect(new Set(texts).size).toBe(1);
    const headers = responses.map(({ headers: { "x-request-id": _id, date: _date, ...rest } }) => JSON.stringify(rest));
    expect(new Set(headers).size).toBe(1);
    expect((await whoAmI(theirs.key)).status).toBe(200);
  });

  test("401 without a JWT, whether the key exists or not", async () => {
    const { accountId } = await aSession();
    const { id } = await aKeyOf(accountId);
    for (const each of [id, randomUUIDv7()]) {
      expect((await api.call({ method: "DELETE", path: `/api/v1/api-keys/${each}` })).status).toBe(401);
    }
  });
});

function create(token: string, body: unknown) {
  return api.call({ method: "POST", path: "/api/v1/api-keys", token, body });
}

function list(token: string) {
  return api.call({ method: "GET", path: "/api/v1/api-keys", token });
}

function revoke(token: string, id: string) {
  return api.call({ method: "DELETE", path: `/api/v1/api-keys/${id}`, token });
}

function whoAmI(key: string) {
  return api.call({ method: "GET", path: "/api/v1/account", key });
}

async function expire(id: string): Promise<void> {
  await api.database.db.query({
    name: "expire",
    text: "update api_keys set expires_at = now() - interval '1 second' where id = $1",
    values: [id],
  });
}

async function setKeyLimit(accountId: string, limit: number): Promise<void> {
  await api.database.db.query({
    name: "set-key-limit",
    text: "update accounts set api_key_limit = $2 where id = $1",
    values: [accountId, limit],
  });
}

/** "key 1" is the oldest. */
async function insertKeys(accountId: string, count: number): Promise<void> {
  await api.database.db.query({
    name: "insert-keys",
    text: `
      insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac, created_at)
      select $1, gen_random_uuid(), 'key ' || number, 'live', 'p...', 'p', uuid_send(gen_random_uuid()),
        now() - make_interval(secs => $2 - number)
      from generate_series(1, $2::integer) as number`,
    values: [accountId, count],
  });
}
