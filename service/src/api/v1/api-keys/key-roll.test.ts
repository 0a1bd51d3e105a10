import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();

describe("POST /api/v1/api-keys/:id/roll (an addition to the interface)", () => {
  test("200 returns the key with a new secret, and both secrets work until the overlap ends", async () => {
    const { token, created } = await aKey({ scopes: ["send", "read"] });
    const { status, json } = await roll(token, created.id, { overlap_seconds: 600 });
    const rolled = json();
    expect(status).toBe(200);
    expect(rolled).toMatchObject({ id: created.id, name: created.name, scopes: ["send", "read"] });
    expect(rolled.key_prefix).toBe(`${rolled.key.slice(0, 19)}...`);
    expect(Math.abs(Date.parse(rolled.previous_secrets_end_at) - Date.now() - 600_000)).toBeLessThan(60_000);
    expect(await statuses(created.key, rolled.key)).toEqual([200, 200]);
    await endNow(created.id);
    expect(await statuses(created.key, rolled.key)).toEqual([401, 200]);
    expect((await whoAmI(created.key)).json().error.message).toMatch(/replaced/);
  });

  test("overlap 0 ends every earlier secret at once, and the default is one day", async () => {
    const { token, created } = await aKey({});
    const second = (await roll(token, created.id, {})).json();
    expect(Math.abs(Date.parse(second.previous_secrets_end_at) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    const third = (await roll(token, created.id, { overlap_seconds: 0 })).json();
    expect(await statuses(created.key, second.key, third.key)).toEqual([401, 401, 200]);
  });

  test("a roll never lets an earlier secret live longer than before", async () => {
    const { token, created } = await aKey({});
    const first = (await roll(token, created.id, { overlap_seconds: 60 })).json();
    await roll(token, created.id, { overlap_seconds: 600_000 });
    const [row] = await change(api.database.db, "select ends_at from api_key_secrets where id = $1", [created.id]);
    expect(new Date(String(row?.ends_at)).toISOString()).toBe(first.previous_secrets_end_at);
  });

  test("revocation and expiry end all secrets of a key, and such a key cannot be rolled", async () => {
    for (const end of ["revoked_at = now()", "expires_at = now()"]) {
      const { token, created } = await aKey({});
      const rolled = (await roll(token, created.id, {})).json();
      await change(api.database.db, `update api_keys set ${end} where id = $1`, [created.id]);
      expect(await statuses(created.key, rolled.key)).toEqual([401, 401]);
      expect((await roll(token, created.id, {})).status).toBe(404);
    }
  });

  test("a sixth secret that works is 422, except with overlap 0; the rows of a key stay few", async () => {
    const { token, created } = await aKey({});
    for (let secrets = 2; secrets <= 5; secrets++) expect((await roll(token, created.id, {})).status).toBe(200);
    const { status, json } = await roll(token, created.id, {});
    expect([status, json().error.details[0].field]).toEqual([422, "overlap_seconds"]);
    for (let rolls = 0; rolls < 25; rolls++) {
      expect((await roll(token, created.id, { overlap_seconds: 0 })).status).toBe(200);
    }
    const rows = await change(api.database.db, "select id from api_key_secrets where key_id = $1", [created.id]);
    expect(rows.length).toBeLessThanOrEqual(16);
  });

  test("of four rolls at the same time each that answers 200 returns a secret that works, and one secret is newest", async () => {
    const { token, created } = await aKey({});
    const answers = await Promise.all([1, 2, 3, 4].map(() => roll(token, created.id, { overlap_seconds: 60 })));
    const rolled = answers.filter(({ status }) => status === 200).map(({ json }) => json().key);
    expect(rolled).toHaveLength(4);
    expect(await statuses(created.key, ...rolled)).toEqual([200, 200, 200, 200, 200]);
    const newest = "select id from api_key_secrets where key_id = $1 and ends_at is null";
    expect(await change(api.database.db, newest, [created.id])).toHaveLength(1);
  });

  test.for([{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }, { overlap_seconds: 1.5 }, { overlap: 1 }])(
    "422 for %j",
    async (body) => {
      const { token, created } = await aKey({});
      expect((await roll(token, created.id, body)).status).toBe(422);
      expect(await statuses(created.key)).toEqual([200]);
    },
  );

  test("a key of another account is 404 like an unknown one, and keeps its secret", async () => {
    const [mine, theirs] = [await aKey({}), await aKey({})];
    for (const id of [theirs.created.id, randomUUIDv7(), "not-a-uuid"]) {
      expect((await roll(mine.token, id, { overlap_seconds: 0 })).status).toBe(404);
    }
    expect(await statuses(theirs.created.key)).toEqual([200]);
  });
});

async function aKey(fields: Record<string, unknown>) {
  const { accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
  const body = { name: "a key", type: "live", ...fields };
  return { token, created: (await api.call({ method: "POST", path: "/api/v1/api-keys", token, body })).json() };
}

function roll(token: string, id: string, body: Record<string, unknown>) {
  return api.call({ method: "POST", path: `/api/v1/api-keys/${id}/roll`, token, body });
}

function whoAmI(key: string) {
  return api.call({ method: "GET", path: "/api/v1/account", key });
}

function statuses(...keys: string[]): Promise<number[]> {
  return Promise.all(keys.map(async (key) => (await whoAmI(key)).status));
}

function endNow(keyId: string) {
  return change(
    api.database.db,
    "update api_key_secrets set ends_at = now() where key_id = $1 and ends_at is not null",
    [keyId],
  );
}
