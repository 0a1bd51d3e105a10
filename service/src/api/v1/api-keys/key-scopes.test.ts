import { describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();

describe("scopes and domain of a new key (additions to interface 4.7)", () => {
  test("the response and the list show the scopes, each once, in the order of the documentation", async () => {
    const { accessToken, json } = await create({ scopes: ["domains", "read", "send"] });
    expect(json.scopes).toEqual(["send", "read", "domains"]);
    const listed = (await api.call({ method: "GET", path: "/api/v1/api-keys", token: accessToken })).json();
    expect(listed).toMatchObject([{ id: json.id, scopes: ["send", "read", "domains"], domain: null }]);
  });

  test.for([
    ["Shop.EXAMPLE.com.", "shop.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["sandbox.test", "sandbox.test"],
  ] as const)("the domain %s is stored in the form that is verified: %s", async ([domain, stored]) => {
    expect((await create({ domain })).json).toMatchObject({ domain: stored, scopes: ["send"] });
    expect((await create({ domain, scopes: ["send"] })).status).toBe(201);
  });

  test.for([
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["send", "send"] }, "scopes"],
    [{ scopes: ["admin"] }, "scopes[0]"],
    [{ scopes: "send" }, "scopes"],
    [{ scopes: ["webhooks"] }, "scopes"],
    [{ scopes: ["send", "webhooks"] }, "scopes"],
    [{ domain: "" }, "domain"],
    [{ domain: "a@b.io" }, "domain"],
    [{ domain: "com" }, "domain"],
    [{ domain: "shop.example.com", scopes: ["read"] }, "scopes"],
    [{ domain: "shop.example.com", scopes: ["send", "read"] }, "scopes"],
  ] as const)("422 for %j names %s", async ([fields, field]) => {
    const { status, json } = await create(fields);
    expect([status, json.error.details.map((detail: { field: string }) => detail.field)]).toEqual([422, [field]]);
  });

  test.for(["scopes = '{send,read}'", "domain = 'other.example'", "type = 'test'", "account_id = gen_random_uuid()"])(
    "the database refuses %s for a key that exists",
    async (assignment) => {
      const { json } = await create({});
      const changed = change(api.database.db, `update api_keys set ${assignment} where id = $1`, [json.id]);
      await expect(changed).rejects.toThrow("never change");
    },
  );
});

describe("last_used_at in GET /api/v1/api-keys", () => {
  test("is null until the key is used, and then the time of a use; a refused key is not used", async () => {
    const made = await create({});
    const { accessToken } = made;
    const { key } = made.json;
    const lastUsed = async () => {
      await api.deps.authenticator.keyUses.flush();
      const listed = await api.call({ method: "GET", path: "/api/v1/api-keys", token: accessToken });
      return listed.json()[0].last_used_at;
    };
    await api.call({ method: "GET", path: "/api/v1/sends", key });
    expect(await lastUsed()).toBeNull();
    await api.call({ method: "POST", path: "/api/v1/send", key, body: {} });
    expect(Math.abs(Date.now() - Date.parse(await lastUsed()))).toBeLessThan(60_000);
  });

  test("also counts sends of a key that the process remembers", async () => {
    const made = await create({});
    const { id, key } = made.json;
    const send = () => api.call({ method: "POST", path: "/api/v1/send", key, body: {} });
    await send();
    const noted: string[] = [];
    const { keyUses } = api.deps.senderAuthenticator;
    const { note } = keyUses;
    keyUses.note = (keyId) => noted.push(keyId);
    await send();
    keyUses.note = note;
    expect(noted).toEqual([id]);
  });
});

async function create(fields: Record<string, unknown>) {
  const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  const body = { name: "a key", type: "live", ...fields };
  const response = await api.call({ method: "POST", path: "/api/v1/api-keys", token: accessToken, body });
  return { accessToken, status: response.status, json: response.json() };
}
