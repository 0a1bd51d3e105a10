import { randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { anAccount, anApiKey, aUser } from "../../../../test/builders.ts";
import { addGuardCounts } from "../../../../test/guard-counts.ts";
import { anOperator } from "../../../../test/operator-user.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { anAccountThatSends } from "../../../../test/usage-fixture.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { holdAccount } from "../../../accounts/account-store.ts";
import { setQuotas } from "../../../accounts/quota-store.ts";
import type { Database } from "../../../db/database.ts";
import { quarantine } from "../../../feedback/quarantine-store.ts";
import { declareFailover } from "../../../in-doubt/failover-store.ts";
import { storeQuota } from "../../../queue/provider-hold.ts";
import { type ProcessHeartbeat, recordProcess } from "../../../status/process-store.ts";

const api = useTestApi();
let token = "";

beforeAll(async () => {
  token = (await anOperator(api)).accessToken;
});

describe("GET /operator/accounts", () => {
  test("shows accounts of others with hold, guard, limits, quotas and usage", async () => {
    const { db } = api.database;
    const sending = await anAccountThatSends(db);
    const [live, { email }] = [{ accountId: sending.accountId, mode: "live" } as const, await aUser(db, sending)];
    await sending.accept(["jane@shop.test", "joe@shop.test"]);
    await holdAccount(db, sending.accountId, "asks for a review");
    await setQuotas(db, live, { recipientsPerDay: 500, trial: 20 });
    await addGuardCounts(db, sending.accountId, { outcomes: 400, hardBounces: 40, complaints: 2 });
    const quiet = await anAccount(db, { name: "Quiet" });
    const accounts = await all();
    const none = { recipients_per_day: null, queued_recipients: null, stored_content_bytes: null, trial: null };
    expect(accounts.find(({ tenant_id }) => tenant_id === sending.accountId)).toMatchObject({
      email,
      suspended: false,
      hold: { held_at: expect.any(String), note: "asks for a review" },
      guard: { on: true, held_at: null, state: "warning", outcomes: 400, bounce_rate: 0.1, complaint_rate: 0.005 },
      limits: { per_second: 1000, per_10_seconds: 10000, per_minute: 100, domains: 100, api_keys: 100 },
      live: { quotas: { ...none, recipients_per_day: 500, trial: 20 }, usage: { recipients_today: 2 } },
      test: { quotas: none, usage: { recipients_today: 0 } },
    });
    expect(accounts.find(({ tenant_id }) => tenant_id === quiet)).toMatchObject({
      name: "Quiet",
      email: null,
      hold: null,
      guard: { state: "unknown", outcomes: 0, bounce_rate: null },
      live: { quotas: none, usage: { recipients_today: 0 } },
    });
  });

  test("pages through all accounts once each, in order, and refuses a cursor that is no id", async () => {
    for (let count = 0; count < 5; count++) await anAccount(api.database.db);
    const ids = (await all(2)).map(({ tenant_id }) => tenant_id);
    const stored = await change(api.database.db, "select id from accounts order by id");
    expect(ids).toEqual(stored.map(({ id }) => id));
    expect((await read("accounts?after=x")).status).toBe(422);
    expect((await read("accounts?limit=101")).status).toBe(422);
  });
});

describe("GET /operator/accounts in another order", () => {
  test("by rate: the worst first, those under 200 outcomes last; by volume: most recipients first", async () => {
    const { db } = api.database;
    const word = randomUUIDv7().slice(-12);
    const named = (name: string) => anAccount(db, { name: `${word} ${name}` });
    const [few, bounces, complaints] = [await named("few"), await named("bounces"), await named("complaints")];
    await addGuardCounts(db, few, { outcomes: 199, hardBounces: 199, complaints: 199 });
    await addGuardCounts(db, bounces, { outcomes: 1000, hardBounces: 90, complaints: 0 });
    await addGuardCounts(db, complaints, { outcomes: 1000, hardBounces: 10, complaints: 3 });
    await seedRecipients(db, { [few]: 50, [complaints]: 10 });
    const order = async (sort: string) =>
      ((await read(`accounts?sort=${sort}&search=${word}`)).json().accounts as { tenant_id: string }[]).map(
        ({ tenant_id }) => tenant_id,
      );
    expect(await order("bounce_rate")).toEqual([bounces, complaints, few]);
    expect(await order("complaint_rate")).toEqual([complaints, bounces, few]);
    expect(await order("volume")).toEqual([few, complaints, bounces]);
    // Ids of one millisecond are in no order.
    expect(await order("created")).toEqual([few, bounces, complaints].toSorted());
    const [first] = (await read(`accounts?sort=volume&limit=1&search=${word}`)).json().accounts;
    expect(first.live.usage).toMatchObject({ recipients_last_24_hours: 50 });
  });

  test("the search finds part of a name, the email of a member and an id; a ranked list has one page", async () => {
    const { db } = api.database;
    const accountId = await anAccount(db, { name: "100% Wool_Shop" });
    const { email } = await aUser(db, { accountId });
    for (const text of ["0% wool_s", email.toUpperCase(), accountId]) {
      const { accounts } = (await read(`accounts?search=${encodeURIComponent(text)}`)).json();
      expect(accounts.map(({ tenant_id }: { tenant_id: string }) => tenant_id)).toEqual([accountId]);
    }
    expect((await read("accounts?search=no-such-account")).json()).toEqual({ accounts: [], next_after: null });
    expect((await read("accounts?sort=volume&limit=1")).json().next_after).toBeNull();
    expect((await read(`accounts?sort=volume&after=${accountId}`)).status).toBe(422);
    expect((await read("accounts?sort=name")).status).toBe(422);
  });
});

test("GET /operator/accounts/:id shows one account, and is 404 for an unknown one", async () => {
  const accountId = await anAccount(api.database.db, { name: "One" });
  expect((await read(`accounts/${accountId}`)).json()).toMatchObject({ tenant_id: accountId, name: "One" });
  for (const id of [randomUUIDv7(), "x"]) expect((await read(`accounts/${id}`)).status).toBe(404);
});

describe("GET /operator/quarantine", () => {
  test("lists the newest first and page by page, with size and reason and without the notification", async () => {
    const texts = ["one", "two", "three"].map((text) => `{"mail":{"destination":["${text}@canary.test"]}}`);
    for (const raw of texts) await quarantine(api.database.db, [{ reason: "unreadable", raw }]);
    const first = (await read("quarantine?limit=2")).json();
    expect(first.entries).toEqual([
      {
        id: expect.any(Number),
        received_at: expect.any(String),
        reason: "unreadable",
        tries: 0,
        next_try_at: null,
        length: texts[2]?.length,
      },
      expect.objectContaining({ length: texts[1]?.length }),
    ]);
    const rest = (await read(`quarantine?limit=2&before=${first.next_before}`)).json();
    expect(rest).toMatchObject({ entries: [{ length: texts[0]?.length }], next_before: null });
    expect((await read("quarantine?before=x")).status).toBe(422);
  });
});

test("GET /operator/status shows the problems of `postern status`, and /processes the heartbeats", async () => {
  const held = await anAccount(api.database.db, { name: "Held shop" });
  await holdAccount(api.database.db, held, "bought lists");
  await recordProcess(api.database.db, aHeartbeat);
  await afterTheCache();
  const status = (await read("status")).json();
  expect(status.problems).toContainEqual({
    what: expect.stringMatching(/Held shop on hold .*bought lists/),
    advice: expect.stringContaining(`postern admin release --account ${held}`),
    command: `postern admin release --account ${held}`,
    runbook: "a-flood-by-one-customer",
    tenant_id: held,
    stops_mail: true,
  });
  expect(status.mail.map(({ mode }: { mode: string }) => mode)).toEqual(["live", "test"]);
  const { processes } = (await read("processes")).json();
  expect(processes).toContainEqual(
    expect.objectContaining({ id: aHeartbeat.id, role: "worker", name: "mail-1", condition: "alive" }),
  );
});

test("GET /operator/status shows past failovers and the size of the database on each day", async () => {
  const { db } = api.database;
  await declareFailover(db, "operator", "infinity");
  await change(
    db,
    `insert into database_sizes (hour, measured_at, bytes)
     select hour, hour, 1000 + extract(epoch from now() - hour)
     from generate_series(date_trunc('hour', now()) - interval '3 days', now(), interval '1 hour') as hour`,
  );
  const { failovers, database } = (await read("status")).json();
  expect(failovers).toMatchObject([{ cause: "operator", marked_in_doubt: 0, noticed_at: expect.any(String) }]);
  expect(database.history.length).toBeGreaterThanOrEqual(4);
  expect(database.history.length).toBeLessThanOrEqual(5);
  const times = database.history.map(({ at }: { at: string }) => at);
  expect(times).toEqual(times.toSorted());
});

test("GET /operator/ses shows the suppression removals that failed at SES, without the address", async () => {
  const { db } = api.database;
  const accountId = await anAccount(db, { name: "Removing shop" });
  await change(
    db,
    `insert into removed_suppressions (account_id, mode, email, removed_by_kind, provider_status, provider_next_try_at,
       provider_finished_at, provider_error)
     values ($1, 'live', 'canary-1@canary.test', 'user', 'pending', now(), null, 'denied'),
       ($1, 'live', 'canary-2@canary.test', 'user', 'refused', null, now(), 'invalid'),
       ($1, 'live', 'canary-3@canary.test', 'user', 'pending', now(), null, null)`,
    [accountId],
  );
  const { failed_removals } = (await read("ses")).json();
  expect(failed_removals.total).toBe(2);
  const found = failed_removals.removals.map(({ name, status, error }: Record<string, string>) => [
    name,
    status,
    error,
  ]);
  expect(found.toSorted()).toEqual([
    ["Removing shop", "pending", "denied"],
    ["Removing shop", "refused", "invalid"],
  ]);
});

test("GET /operator/ses shows quota and reputation as a worker last read them", async () => {
  const quota = { perSecond: 14, perDay: 50_000, usedToday: 1200, enforcementStatus: "PROBATION" };
  await storeQuota(api.database.db, "live", quota);
  await afterTheCache();
  expect((await read("ses")).json()).toMatchObject({
    quota: { per_second: 14, per_day: 50_000, used_last_24_hours: 1200, read_seconds_ago: expect.any(Number) },
    hold: null,
    reputation: { enforcement_status: "PROBATION", findings: null },
  });
});

test("no answer contains a recipient, a suppressed address, a notification, an API key, a password hash or a TOTP secret", async () => {
  const { db } = api.database;
  const accountId = await anAccount(db);
  const domain = await aVerifiedDomain(db, accountId);
  await aQueuedSend(db, { accountId, fromDomain: domain, to: ["canary-to@canary.test"] });
  await aSuppression(db, { accountId, email: "canary-suppressed@canary.test" });
  const { key } = await anApiKey(db, api.deps.apiKeyIssuer, accountId);
  await aUser(db, { accountId });
  await quarantine(db, [{ reason: "unreadable", raw: "canary-raw@canary.test" }]);
  const [user] = await change(db, "select password_hash, totp_secret from users where totp_secret is not null limit 1");
  if (user === undefined) throw new Error("no user has TOTP");
  await afterTheCache();
  const texts = [];
  for (const path of ["status", "processes", "ses", "accounts?limit=100", "quarantine?limit=100"]) {
    const answer = await read(path);
    expect(answer.status).toBe(200);
    texts.push(answer.text);
  }
  const secrets = [key, String(user.password_hash), (user.totp_secret as Buffer).toString("base64")];
  for (const canary of ["canary", "argon2", ...secrets]) expect(texts.join()).not.toContain(canary);
});

const aHeartbeat: ProcessHeartbeat = {
  id: randomUUIDv7(),
  role: "worker",
  name: "mail-1",
  version: "0.1.0",
  startedSecondsAgo: 60,
  claimsFailingSeconds: null,
  choresFailingSeconds: null,
  claimedSecondsAgo: { live: 3, test: null },
  isClaimable: { live: false, test: false },
  chores: [],
  chorePauseSeconds: {},
};

/** As the fold of the usage deltas stores them, this hour. */
function seedRecipients(db: Database, recipients: Record<string, number>) {
  return change(
    db,
    `insert into usage_hours (account_id, mode, hour, domain, accepted_recipients)
     select key::uuid, 'live', date_trunc('hour', now()), 'shop.test', value::int from jsonb_each_text($1::jsonb)`,
    [JSON.stringify(recipients)],
  );
}

/** The state of the installation is at most a second old. */
function afterTheCache() {
  return new Promise((resolve) => setTimeout(resolve, 1_050));
}

function read(path: string) {
  return api.call({ method: "GET", path: `/api/v1/operator/${path}`, token });
}

async function all(limit = 100): Promise<{ tenant_id: string }[]> {
  const found = [];
  for (let after = ""; ; ) {
    const { accounts, next_after } = (await read(`accounts?limit=${limit}${after}`)).json();
    found.push(...accounts);
    if (next_after === null) return found;
    after = `&after=${next_after}`;
  }
}
