import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey, type TestLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { Actor } from "../../../actor.ts";
import { auditEntry } from "../../../audit/audit-entry.ts";

const api = useTestApi();

/** An owner whose account has this many entries about keys, apart from those of its creation and log-in. */
async function anOwner(keys: number): Promise<TestLogin & { keyIds: string[] }> {
  const { db } = api.database;
  const login = await aLogin(db, api.deps.loginDeps);
  const keyIds: string[] = [];
  for (let count = 0; count < keys; count++)
    keyIds.push((await anApiKey(db, api.deps.apiKeyIssuer, login.accountId)).id);
  return { ...login, keyIds };
}

const read = async ({ accessToken }: TestLogin, query = "") =>
  api.call({ method: "GET", path: `/api/v1/audit${query}`, token: accessToken });

const actionsOf = (text: string) => JSON.parse(text).data.entries.map(({ action }: { action: string }) => action);

test("the list is newest first, of the own account only, and continues with next_before", async () => {
  const [owner] = [await anOwner(3), await anOwner(1)];
  const ids: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 5 && query !== ""; pages++) {
    const { data } = (await read(owner, query)).json();
    ids.push(...data.entries.map(({ id }: { id: string }) => id));
    query = data.pagination.next_before === null ? "" : `?limit=2&before=${data.pagination.next_before}`;
  }
  expect(ids).toHaveLength(5);
  expect(ids).toEqual(ids.toSorted().toReversed());
});

test("an entry names actor, action, target and change", async () => {
  const owner = await anOwner(1);
  const { id } = owner;
  await api.call({ method: "DELETE", path: `/api/v1/api-keys/${owner.keyIds[0]}`, token: owner.accessToken });
  const [entry] = (await read(owner)).json().data.entries;
  expect(entry).toMatchObject({
    actor: { kind: "user", id, name: owner.email },
    action: "api-key.revoke",
    target: { kind: "api-key", id: owner.keyIds[0], name: "a key" },
    before: { name: "a key", type: "live" },
    after: null,
    address: "127.0.0.1",
    request_id: expect.any(String),
  });
});

test("owners see the name and the reason of an operator, but not the address, which only the row keeps", async () => {
  const owner = await anOwner(0);
  const { accountId } = owner;
  const actor: Actor = { kind: "operator", name: "op@example.com", address: "203.0.113.9", reason: "Spam" };
  await holdByOperator(accountId, actor);
  const entry = { address: null, reason: "Spam", actor: { kind: "operator", name: "op@example.com" } };
  expect((await read(owner, "?action=account.hold")).json().data.entries).toMatchObject([entry]);
  expect(JSON.parse((await read(owner, "/export?action=account.hold")).text)).toMatchObject(entry);
  expect(await auditRows(api.database.db, accountId, "account.hold")).toMatchObject([{ address: "203.0.113.9" }]);
});

test("filters find entries by actor, action, target and time", async () => {
  const owner = await anOwner(2);
  const count = async (query: string) => actionsOf((await read(owner, query)).text).length;
  expect(await count("?action=api-key.create")).toBe(2);
  expect(await count(`?target=${owner.keyIds[1]}`)).toBe(1);
  expect(await count("?target_kind=api-key")).toBe(2);
  expect(await count(`?target=${owner.id}`)).toBe(1);
  expect(await count(`?target=${owner.id}&target_kind=user`)).toBe(1);
  expect(await count(`?target=${owner.id}&target_kind=member`)).toBe(0);
  expect(await count(`?actor=${owner.id}`)).toBe(1);
  expect(await count(`?actor=${owner.email.toUpperCase()}`)).toBe(1);
  expect(await count(`?until=2020-01-01T00:00:00Z`)).toBe(0);
  expect(await count(`?since=2020-01-01T00:00:00Z`)).toBe(4);
  expect((await read(owner, "?action=unknown")).status).toBe(422);
  expect((await read(owner, "?target_kind=unknown")).status).toBe(422);
});

test("since and until compare the time that an entry shows, also for failed log-ins, whose ids are of the start of the minute", async () => {
  const owner = await anOwner(0);
  await insertFailedLogins(
    owner.accountId,
    ["12:00:20", "12:00:45"].map((time) => `2026-11-16T${time}Z`),
  );
  const times = async (query: string) =>
    (await read(owner, `?action=log-in.fail&${query}`))
      .json()
      .data.entries.map(({ at }: { at: string }) => at.slice(11, 19));
  expect(await times("since=2026-11-16T12:00:30Z&until=2026-11-16T12:01:00Z")).toEqual(["12:00:45"]);
  expect(await times("since=2026-11-16T12:00:45Z")).toEqual(["12:00:45"]);
  expect(await times("until=2026-11-16T12:00:30Z")).toEqual(["12:00:20"]);
  expect(await times("until=2026-11-16T12:00:20Z")).toEqual([]);
  expect(await times("since=2026-11-16T12:00:46Z")).toEqual([]);
});

test("403 for a developer", async () => {
  const developer = await aLogin(api.database.db, api.deps.loginDeps, { role: "developer" });
  expect((await read(developer)).status).toBe(403);
  expect((await read(developer, "/export")).status).toBe(403);
});

async function holdByOperator(accountId: string, actor: Actor): Promise<void> {
  const target = { kind: "account", id: "$1::uuid" } as const;
  const entry = auditEntry({ action: "account.hold", actor: "$2", target, from: "(select) as held" });
  await change(api.database.db, `with ${entry} select`, [accountId, JSON.stringify(actor)]);
}

/** Failed log-ins of different users. */
async function insertFailedLogins(accountId: string, times: string[]): Promise<void> {
  for (const at of times) {
    await change(
      api.database.db,
      `insert into audit_entries (id, account_id, at, actor_kind, action, target_kind)
       values (failed_login_id($1::uuid, '{}', $2), $3, $2, 'anonymous', 'log-in.fail', 'user')`,
      [randomUUIDv7(), at, accountId],
    );
  }
}
