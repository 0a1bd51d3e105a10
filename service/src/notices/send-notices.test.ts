import { beforeAll, beforeEach, expect, test } from "vitest";
import { aUser } from "../../test/builders.ts";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { aVerifiedDomain, testContentKeys } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { anEndpoint } from "../../test/webhook-builders.ts";
import type { AcceptDeps } from "../accept/accept-send.ts";
import { holdAccount, releaseAccount } from "../accounts/account-store.ts";
import { setLimits } from "../accounts/limit-store.ts";
import { createLog } from "../log.ts";
import { type Address, parseAddress, parseMailbox } from "../mail-address.ts";
import { openAcceptDeps } from "../processes/accept-deps.ts";
import { type NoticeDeps, sendNotices } from "./send-notices.ts";

const database = useTestDatabase();
const operator = parseAddress("operator@acme.test") as Address;
const sender = parseMailbox("Postern <postern@system.test>");
let [deps, accept, system] = [{} as NoticeDeps, {} as AcceptDeps, ""];

beforeAll(async () => {
  const { db } = database;
  accept = await openAcceptDeps({ secrets: { contentKey: testContentKeys } }, db);
  if ("problem" in sender) throw new Error(sender.problem);
  deps = { db, log: createLog("silent"), sender, operatorEmail: operator, openAccept: async () => accept };
  system = (await aUser(db)).accountId;
  await aVerifiedDomain(db, system, "system.test");
  await setLimits(db, system, { perSecond: 1_000, per10Seconds: 1_000, perMinute: 1_000 });
});

beforeEach(async () => {
  await change(database.db, "update accounts set guard_held_at = null, guard_reason = null, held_at = null");
  await change(database.db, "update domains set failing_since = null");
  await change(database.db, "update api_keys set expires_at = null");
  await change(database.db, "delete from webhook_endpoints");
});

test("users and operator get one mail about a held account each, however many workers try and however often", async () => {
  const { accountId, email } = await aUser(database.db);
  await holdByGuard(accountId);
  const runs = await Promise.all(Array.from({ length: 4 }, () => send()));
  expect(runs.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(await send()).toBe(0);
  expect(await mailsTo(email)).toEqual([{ subject: "The live mail of An account is on hold", status: "queued" }]);
  expect(await mailsTo("operator@acme.test")).toContainEqual(
    expect.objectContaining({ subject: "The guard holds the live mail of An account" }),
  );
});

test.for(["held", "frozen", "released", "unknown", "incoming"] as const)(
  "nobody is mailed about an account whose move is %s",
  async (state) => {
    const { accountId, email } = await aUser(database.db);
    await holdByGuard(accountId);
    if (state === "incoming") await anIncomingMove(database.db, accountId, "copying");
    else await anOutgoingMove(database.db, accountId, state);
    expect(await send()).toBe(0);
    await noMove(database.db, accountId);
    expect(await send()).toBe(2);
    expect(await mailsTo(email)).toHaveLength(1);
  },
);

test("an account that is copied into this cell does not send the notices of the cell", async () => {
  await holdByGuard((await aUser(database.db)).accountId);
  await anIncomingMove(database.db, system, "copying");
  expect(await send()).toBe(0);
  await noMove(database.db, system);
  expect(await send()).toBe(2);
});

test("a hold whose reason has other numbers after a release the same day is not mailed again", async () => {
  const { accountId, email } = await aUser(database.db);
  await holdByGuard(accountId, "24 of 200");
  await send();
  await holdByGuard(accountId, "60 of 400");
  expect(await send()).toBe(0);
  expect(await mailsTo(email)).toHaveLength(1);
});

test("a verified domain whose records are missing for an hour is mailed, and one that just began to fail is not", async () => {
  const { accountId, email } = await aUser(database.db);
  const failing = await aVerifiedDomain(database.db, accountId);
  const recent = await aVerifiedDomain(database.db, accountId);
  const fail = `update domains set failing_since = now() - $2::interval, last_checked_at = now() where domain_name = $1`;
  await change(database.db, fail, [failing, "70 minutes"]);
  await change(database.db, fail, [recent, "10 minutes"]);
  expect(await send()).toBe(2);
  expect(await mailsTo(email)).toMatchObject([{ subject: `DNS records of ${failing} are missing` }]);
});

test("a key is mailed a week before it expires and again a day before; a short-lived or revoked key is not", async () => {
  const { accountId, email } = await aUser(database.db);
  const add = (name: string, expiresIn: string, livedFor: string, isRevoked = false) =>
    change(
      database.db,
      `insert into api_keys (id, account_id, name, type, key_prefix, pepper_id, secret_hmac, expires_at, created_at, revoked_at)
       values (gen_random_uuid(), $1, $2, 'live', 'p', 'p', gen_random_uuid()::text::bytea, now() + $3::interval,
         now() - $4::interval, case when $5 then now() end)`,
      [accountId, name, expiresIn, livedFor, isRevoked],
    );
  await add("shop\r\nserver", "6 days", "90 days");
  await add("short", "2 days", "1 day");
  await add("revoked", "2 days", "90 days", true);
  await add("later", "8 days", "90 days");
  expect(await send()).toBe(2);
  await change(database.db, "update api_keys set expires_at = now() + interval '20 hours' where name like 'shop%'");
  expect(await send()).toBe(2);
  const subject = 'The API key "shop  server" expires soon';
  expect(await mailsTo(email)).toMatchObject([{ subject }, { subject }]);
});

test("a webhook that fails is mailed after a day, once until it works again, with its host and not its path", async () => {
  const { db } = database;
  const { accountId, email } = await aUser(db);
  const [failing, recent] = [await failingSince("25 hours"), await failingSince("23 hours")];
  expect(await send()).toBe(2);
  expect(await send()).toBe(0);
  await change(db, "update webhook_endpoints set failing_since = now() - interval '24 hours 1 minute' where id = $1", [
    recent,
  ]);
  await change(db, "update webhook_endpoints set failing_since = now() - interval '30 hours' where id = $1", [failing]);
  expect(await send()).toBe(4);
  const subject = "The webhook at hooks.example.com does not work";
  expect(await mailsTo(email)).toMatchObject([{ subject }, { subject }, { subject }]);

  function failingSince(age: string): Promise<string> {
    return aChangedEndpoint(accountId, `failing_since = now() - interval '${age}'`);
  }
});

test.for(["failing", "gone"])(
  "a webhook older than a day that Postern disabled is mailed once a day: %s",
  async (reason) => {
    const { accountId, email } = await aUser(database.db);
    const old = "created_at = now() - interval '25 hours'";
    const id = await aChangedEndpoint(accountId, `${old}, ${disabled(reason)}`);
    await aChangedEndpoint(accountId, disabled(reason));
    await aChangedEndpoint(accountId, `${old}, ${disabled("user")}`);
    expect(await send()).toBe(2);
    // Enabled, and disabled again on the same day.
    await change(
      database.db,
      "update webhook_endpoints set disabled_at = date_trunc('day', disabled_at, 'UTC') + interval '12 hours' where id = $1",
      [id],
    );
    expect(await send()).toBe(0);
    expect(await mailsTo(email)).toMatchObject([{ subject: "The webhook at hooks.example.com is disabled" }]);
  },
);

test("nothing is mailed while the system account is held, and its mail goes on afterwards", async () => {
  const { accountId, email } = await aUser(database.db);
  await holdByGuard(accountId);
  await holdAccount(database.db, system, undefined);
  expect(await send()).toBe(0);
  await releaseAccount(database.db, system);
  await holdByGuard(system);
  expect(await send()).toBe(0);
  await change(database.db, "update accounts set guard_held_at = null, guard_reason = null where id = $1", [system]);
  expect(await send()).toBe(2);
  expect(await mailsTo(email)).toHaveLength(1);
});

test("what the rate limit of the system account refuses is sent by a later run", async () => {
  const { accountId, email } = await aUser(database.db);
  await holdByGuard(accountId);
  await setLimits(database.db, system, { perMinute: 1 });
  expect(await send()).toBeLessThan(2);
  await setLimits(database.db, system, { perMinute: 1_000 });
  await send();
  expect(await mailsTo(email)).toHaveLength(1);
});

const disabled = (reason: string) => `disabled_at = now(), disabled_reason = '${reason}'`;

async function aChangedEndpoint(accountId: string, columns: string): Promise<string> {
  const id = await anEndpoint(database.db, { accountId, url: "https://hooks.example.com:8443/in?token=secret" });
  await change(database.db, `update webhook_endpoints set ${columns} where id = $1`, [id]);
  return id;
}

/** A process that was just started knows no earlier notice. */
const send = () => sendNotices(deps, accept, new Set());

async function holdByGuard(accountId: string, reason = "24 of 200 recipients bounced"): Promise<void> {
  await change(database.db, "update accounts set guard_held_at = now(), guard_reason = $2 where id = $1", [
    accountId,
    reason,
  ]);
}

function mailsTo(email: string): Promise<Record<string, unknown>[]> {
  return change(database.db, "select subject, status from sends where $1 = any(to_addresses) order by id", [email]);
}
