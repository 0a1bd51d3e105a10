import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../proofs/until.ts";
import { anAccount, anApiKey, aUser } from "../../../test/builders.ts";
import { aFullAccount } from "../../../test/full-account.ts";
import { aScheduledSend } from "../../../test/scheduled-sends.ts";
import { anAttachment, aQueuedSend, aSuppression, testContentKeys } from "../../../test/send-builders.ts";
import { change } from "../../../test/send-rows.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { aMove, recordsOf, targetContentKeys, twoCells } from "../../../test/two-cells.ts";
import { notificationsOf } from "../../../test/webhook-builders.ts";
import { idempotencyHash } from "../../accept/fingerprint.ts";
import { adoptFingerprintKey, getFingerprintKey } from "../../accept/fingerprint-keys.ts";
import { queueDueSends } from "../../accept/queue-scheduled.ts";
import { rollApiKey } from "../../api-keys/roll-api-key.ts";
import { openChunk } from "../../attachments/seal-chunk.ts";
import { readKeyIssuer } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { foldListChanges } from "../../db/list-counts.ts";
import { openTotpSecret, sealTotpSecret } from "../../logins/totp.ts";
import { createTotpKey } from "../../logins/totp-key.ts";
import { openContent } from "../../sends/content.ts";
import { listSends } from "../../sends/list-sends.ts";
import { openSealedKey } from "../../storage/sealed-key.ts";
import { listSuppressions } from "../../suppressions/suppression-store.ts";
import { openEndpointSecret } from "../../webhooks/endpoint-secret.ts";
import type { CopyDeps } from "./copy-deps.ts";
import { copyPass } from "./copy-pass.ts";
import { findForeignPeople } from "./find-foreign-people.ts";

let source: Database;
let target: Database;
let account: Awaited<ReturnType<typeof aFullAccount>>;
let move: CopyDeps;
const issuer = readKeyIssuer(anEnvironment());

beforeEach(async () => {
  ({ source, target } = await twoCells());
  account = await aFullAccount(source);
  await change(source, "update webhook_replays set state = 'done', finished_at = now()");
  move = await aMove({ source, target }, account.accountId);
});

const rowsOf = async (db: Database, sql: string) => (await change(db, sql)).length;
const expectEqual = async () =>
  expect(await recordsOf(target, account.accountId)).toEqual(await recordsOf(source, account.accountId));

describe("a first pass", () => {
  test("copies every row of the account and none of another, and the account is suspended", async () => {
    const other = await aFullAccount(source);
    await fillOtherTables();
    await copyPass(move, { isLast: true });
    expect(await rowsOf(target, "select from usage_hours where delivered = 1")).toBe(1);
    const records = await recordsOf(target, account.accountId);
    expect(Object.entries(records).flatMap(([table, rows]) => (rows.length === 0 ? table : []))).toEqual([]);
    await expectEqual();
    expect(await change(target, "select id, suspended_at is not null as suspended from accounts")).toEqual([
      { id: account.accountId, suspended: true },
    ]);
    expect(Object.values(await recordsOf(target, other.accountId)).flat()).toEqual([]);
    expect(await change(target, "select distinct provider_status from removed_suppressions")).toEqual([
      { provider_status: "not_needed" },
    ]);
  });

  test("writes no notification of its own, and lists and searches find the same as in the source", async () => {
    await copyPass(move, { isLast: true });
    await copyPass(move, { isLast: true });
    expect(await notificationsOf(target, account.accountId)).toEqual(await notificationsOf(source, account.accountId));
    const view = async (db: Database) => {
      await foldListChanges(db, 1_000);
      const own = db.forAccount(account.accountId);
      return {
        suppressions: await listSuppressions(own, ["live", "test"], { limit: 10, offset: 0 }),
        found: await findByRecipient(db, account.accountId, "jane@example.test"),
        counts: await change(
          db,
          "select mode, list, month, count from list_counts where account_id = $1 order by 1, 2, 3",
          [account.accountId],
        ),
        days: await change(db, "select mode, list, day, count from list_days where account_id = $1 order by 1, 2, 3", [
          account.accountId,
        ]),
        searches: await change(
          db,
          "select key::text, send_id from send_searches where send_id in (select id from sends where account_id = $1) order by 1, 2",
          [account.accountId],
        ),
      };
    };
    const [seen, expected] = [await view(target), await view(source)];
    expect(seen).toEqual(expected);
    expect(seen.searches.length).toBeGreaterThan(0);
    expect(seen.found).toEqual([account.sent.id]);
  });

  test("seals contents, attachments and secrets with the keys of the target", async () => {
    const bytes = randomBytes(3_000_000);
    const id = await aQueuedSend(source, {
      accountId: account.accountId,
      text: "Grüße \u{1F426} ' \\ \u0001",
      attachments: [anAttachment(bytes)],
    });
    await change(source, "delete from send_queue");
    const totpKey = await createTotpKey(testContentKeys)(source);
    const totp = sealTotpSecret(totpKey, account.userId, Buffer.from("a secret"));
    await change(source, "update users set totp_secret = $1, totp_enabled_at = now()", [totp]);
    await copyPass(move, { isLast: true });

    const owner = { accountId: account.accountId, sendId: id };
    const [content] = await change(
      target,
      "select sealed, counted_from is not null as counted, attachment_bytes from kept_contents where id = $1",
      [id],
    );
    expect(openContent(targetContentKeys, owner, content?.sealed as Buffer).text).toBe("Grüße \u{1F426} ' \\ \u0001");
    const [stored] = await change(
      source,
      "select sealed, attachment_bytes from send_contents join sends using (id) where id = $1",
      [id],
    );
    expect(content).toMatchObject({ counted: true, attachment_bytes: stored?.attachment_bytes });
    expect(formatOf(content?.sealed)).toBe(formatOf(stored?.sealed));
    const chunks = await change(
      target,
      "select part, number, sealed from kept_attachment_chunks order by part, number",
    );
    expect(chunks.length).toBeGreaterThan(1);
    const opened = chunks.map(({ part, number, sealed }) =>
      openChunk(
        targetContentKeys,
        { ...owner, part: part as number, number: number as number, count: chunks.length },
        sealed as Buffer,
      ),
    );
    expect(Buffer.concat(opened).equals(bytes)).toBe(true);
    const [user] = await change(target, "select totp_secret from users");
    const key = await createTotpKey(targetContentKeys)(target);
    expect(openTotpSecret(key, account.userId, user?.totp_secret as Buffer).toString()).toBe("a secret");
    const [secret] = await change(target, "select endpoint_id, sealed from webhook_secrets");
    expect(openEndpointSecret(targetContentKeys, String(secret?.endpoint_id), secret?.sealed as Buffer)).toHaveLength(
      32,
    );
  });

  test("ahead leaves out what the target would act on", async () => {
    await change(
      source,
      "update accounts set held_at = now(), hold_note = 'why', guard_held_at = now(), guard_reason = 'bounces'",
    );
    await change(
      source,
      "insert into notifications (id, public_id, account_id, mode, type, occurred_at) values (new_id_at(now()), gen_random_uuid(), $1, 'live', 'account.held', now())",
      [account.accountId],
    );
    const { horizon } = await copyPass(move, { isLast: false });
    expect(await rowsOf(target, "select from notifications where envelope is null")).toBe(0);
    expect(await rowsOf(target, "select from webhook_endpoints")).toBe(0);
    expect(await rowsOf(target, "select from accounts where held_at is not null or guard_held_at is not null")).toBe(0);
    await change(source, "update webhook_replays set only_failed = true");
    await copyPass(move, { since: horizon, isLast: true });
    await expectEqual();
    expect(await rowsOf(target, "select from notifications where envelope is null")).toBeGreaterThan(0);
  });

  test("makes partitions for old records, once, and they are found", async () => {
    const id = "0194a000-0000-7000-8000-000000000001";
    const accountId = await anAccount(source, { madeAt: Date.parse("2025-01-01") });
    const old = await aMove({ source, target }, accountId);
    await change(
      source,
      `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at)
       values ($1, $2, 'live', 'sent', 'a@shop.test', '{old@example.test}', 1, 0, 'Old', time_of_id($1::uuid))`,
      [id, accountId],
    );
    await copyPass(old, { isLast: true });
    await copyPass(old, { isLast: true });
    expect(await recordsOf(target, accountId)).toEqual(await recordsOf(source, accountId));
    expect(await rowsOf(target, "select from sends_default")).toBe(0);
    expect(
      await change(target, "select min(starts_at)::text as first from partition_ranges where parent = 'sends'"),
    ).toEqual([{ first: "2025-01-01 00:00:00+00" }]);
    expect(await findByRecipient(target, accountId, "old@example.test")).toEqual([id]);
    expect(await rowsOf(target, `select from send_searches where send_id = '${id}'`)).toBe(1);
  });
});

describe("a later pass", () => {
  test("writes only what changed, and everything equals the source again", { timeout: 90_000 }, async () => {
    await fillOtherTables();
    await change(
      source,
      "insert into suppressions (id, account_id, mode, email, reason) values (first_id_at('2026-10-01'), $1, 'live', 'again@example.test', 'manual')",
      [account.accountId],
    );
    await olderTransactionsEnd(source);
    const first = await copyPass(move, { isLast: true });
    const second = await copyPass(move, { since: first.horizon, isLast: true });
    expect(Object.entries(second.rows).filter(([, n]) => n > 0)).toEqual([]);
    const repeated = await copyPass(move, { isLast: true });
    // Contents are kept longer.
    expect(sum({ ...repeated.rows, kept_contents: 0 })).toBe(0);

    await change(source, "update sends set status = 'bounced' where id = $1", [account.sent.id]);
    await change(
      source,
      "insert into send_attempts (send_id, attempt, started_at, outcome) values ($1, 9, now(), 'unknown')",
      [account.sent.id],
    );
    await aSuppression(source, { accountId: account.accountId, email: "new@example.test" });
    await change(source, "delete from suppressions where email = 'again@example.test'");
    await aSuppression(source, { accountId: account.accountId, email: "again@example.test" });
    await change(source, "delete from suppressions where email = 'jane@example.test'");
    await aSuppression(source, { accountId: account.accountId, email: "jane@example.test", reason: "complaint" });
    await change(source, "delete from suppressions where mode = 'test'");
    await change(source, "delete from usage_tag_days");
    await change(source, "update usage_hours set delivered = delivered + 1");
    await change(source, "delete from account_quotas");
    const later = await copyPass(move, { since: second.horizon, isLast: true });
    await expectEqual();
    expect(later.rows).toMatchObject({ sends: 1, send_attempts: 1, events: 0, audit_entries: 0 });
    expect(await daysOfLists(target)).toEqual(await daysOfLists(source));
  });

  test("takes as many pages as the rows need, first and later", async () => {
    await change(
      source,
      `with stored as (
         insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, payload_hash)
         select new_id_at(now() - i * interval '1 minute'), $1, case i % 2 when 0 then 'live' else 'test' end, 'sent', 'a@shop.test',
           array['to-' || i || '@example.test'], 1, 0, repeat('x', 900), 'x'
         from generate_series(1, 9000) i
         returning id
       )
       insert into send_attempts (send_id, attempt, started_at, outcome)
       select id, attempt, now(), 'unknown' from stored cross join generate_series(1, 3) as attempt where attempt <> 2 or random() < 0.5`,
      [account.accountId],
    );
    const { horizon } = await copyPass(move, { isLast: false });
    await change(source, "update sends set status = 'delivered'");
    await change(source, "update send_attempts set detail = 'x' where attempt = 1");
    await change(source, "delete from send_contents");
    const { rows } = await copyPass(move, { since: horizon, isLast: true });
    expect(rows).toMatchObject({ sends: 9000, send_attempts: 9000 });
    await expectEqual();
  }, 60_000);

  test("finds idempotency keys by their sends, and repeats no content", async () => {
    const key = await openSealedKey(source, testContentKeys, "fingerprint");
    await change(source, "update sends set payload_hash = 'x'");
    await change(source, "delete from idempotency_keys");
    const { horizon } = await copyPass(move, { isLast: false });
    const id = await aQueuedSend(source, { accountId: account.accountId });
    const hash = idempotencyHash(key, account.accountId, "live", "order 1").toString("hex");
    await change(source, "update sends set idempotency_key = 'order 1' where id = $1", [id]);
    await change(
      source,
      "insert into idempotency_keys (key_hash, account_id, send_id, fingerprint, status) values ($1, $2, $3, '\\x00ff', 'queued')",
      [hash, account.accountId, id],
    );
    const { rows } = await copyPass(move, { since: horizon, isLast: true });
    expect(rows).toMatchObject({ idempotency_keys: 1, kept_contents: 1 });
    await expectEqual();
  });

  test("copies a mail whose id and attachments are older than the pass before", async () => {
    const id = await aQueuedSend(source, {
      accountId: account.accountId,
      attachments: [anAttachment(Buffer.from("note"))],
    });
    const [row] = await change(
      source,
      "with gone as (delete from sends where id = $1 returning *) select to_jsonb(gone) as row from gone",
      [id],
    );
    await change(
      source,
      "with c as (delete from send_contents where id = $1 returning *) insert into kept_contents select * from c",
      [id],
    );
    await change(source, "create table later as select * from kept_contents");
    await change(source, "delete from kept_contents");
    const { horizon } = await copyPass(move, { isLast: false });
    await change(source, "insert into send_contents select id, sealed from later");
    await change(source, "insert into sends select * from jsonb_populate_record(null::sends, $1)", [
      JSON.stringify(row?.row),
    ]);
    await copyPass(move, { since: horizon, isLast: true });
    expect(await rowsOf(target, `select from kept_contents where id = '${id}'`)).toBe(1);
    expect(await rowsOf(target, `select from kept_attachment_chunks where id = '${id}'`)).toBe(1);
  });

  test("copies the content that a scheduled send got when it became due", async () => {
    const id = await aQueuedSend(source, { accountId: account.accountId });
    await change(source, "update sends set scheduled_at = now() where id = $1", [id]);
    await change(source, "create table later as select * from send_contents");
    await change(source, "delete from send_contents");
    const { horizon } = await copyPass(move, { isLast: false });
    await change(
      source,
      "insert into kept_contents (id, sealed, counted_from) select id, sealed, now() from later where id = $1",
      [id],
    );
    await copyPass(move, { since: horizon, isLast: true });
    expect(await rowsOf(target, `select from kept_contents where id = '${id}'`)).toBe(1);
  });

  test("follows rolled keys and changed members, also when a new member has the email of one who left", async () => {
    const { id: keyId } = await anApiKey(source, issuer, account.accountId);
    const leaver = await aUser(source, { accountId: account.accountId, role: "viewer" });
    const { horizon } = await copyPass(move, { isLast: false });
    await rollApiKey(source.forAccount(account.accountId), issuer, { id: keyId, overlapSeconds: 60 });
    await change(source, "delete from memberships where user_id = $1", [leaver.id]);
    await change(source, "delete from users where id = $1", [leaver.id]);
    const { id: newId } = await aUser(source, { accountId: account.accountId, role: "owner" });
    await change(source, "update users set email = $2 where id = $1", [newId, leaver.email]);
    await change(source, "update memberships set role = 'viewer' where user_id = $1", [account.userId]);
    await copyPass(move, { since: horizon, isLast: true });
    await expectEqual();
    expect(await change(target, "select distinct pepper_id from api_key_secrets")).toEqual([
      { pepper_id: "k1-of-source" },
    ]);
  });
});

describe("people", () => {
  test("who are in another account of the target keep what they have there", async () => {
    const other = await aUser(target);
    await change(
      target,
      "insert into users (id, email, password_hash, contact_email) values ($1, 'here@example.test', 'x', 'here@example.test')",
      [account.userId],
    );
    await change(target, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
      account.userId,
      other.accountId,
    ]);
    await copyPass(move, { isLast: true });
    expect(await change(target, "select email, contact_email from users where id = $1", [account.userId])).toEqual([
      { email: "here@example.test", contact_email: "here@example.test" },
    ]);
    expect(await rowsOf(target, `select from memberships where user_id = '${account.userId}'`)).toBe(2);
  });

  test("whose email another user of the target has are found before", async () => {
    expect(await findForeignPeople(source, target, account.accountId)).toEqual([]);
    const [user] = await change(source, "select email from users where id = $1", [account.userId]);
    const other = await aUser(target);
    await change(target, "update users set email = $2 where id = $1", [other.id, user?.email]);
    expect(await findForeignPeople(source, target, account.accountId)).toEqual([{ email: user?.email, has: "email" }]);
  });
});

test("a pepper that the target does not have stops the pass by its name", async () => {
  const copied = copyPass({ ...move, keys: { ...move.keys, pepperNames: new Map() } }, { isLast: true });
  await expect(copied).rejects.toThrow(/pepper "k1"/);
  expect(await rowsOf(target, "select from api_keys")).toBe(0);
});

test("a pass that stops at any page can run again", async () => {
  await fillOtherTables();
  for (let stopAt = 1, isDone = false; !isDone && stopAt < 100; stopAt += 3) {
    let pages = 0;
    const inTarget: CopyDeps["inTarget"] = (work) => {
      pages += 1;
      if (pages === stopAt) throw new Error("the command died");
      return move.inTarget(work);
    };
    isDone = await copyPass({ ...move, inTarget }, { isLast: true }).then(
      () => true,
      () => false,
    );
  }
  await expectEqual();
});

test("a pass writes nothing after the move was undone", async () => {
  await copyPass(move, { isLast: false });
  const before = await recordsOf(target, account.accountId);
  await change(target, "update incoming_moves set state = 'undone', ended_at = now()");
  await change(source, "update sends set status = 'failed', error_code = 'X', error_message = 'x'");
  await expect(copyPass(move, { isLast: true })).rejects.toThrow("the move has ended");
  expect(await recordsOf(target, account.accountId)).toEqual(before);
});

test("content that leaves its schedule between two passes is copied", async () => {
  const id = await aScheduledSend(source, { accountId: account.accountId, dueInSeconds: -1 });
  const { horizon } = await copyPass(move, { isLast: false });
  await queueDueSends(source, "live");
  expect(await rowsOf(source, `select from send_contents where id = '${id}'`)).toBe(1);
  await copyPass(move, { isLast: true, since: horizon });
  expect(await rowsOf(target, `select from kept_contents where id = '${id}'`)).toBe(1);
});

test("the fingerprint key comes with the account, and goes back under no name", async () => {
  const key = await getFingerprintKey(source, testContentKeys, account.accountId);
  const name = await adoptFingerprintKey(target, targetContentKeys, key);
  expect(name).toMatch(/^fingerprint\/[0-9a-f]{8}$/);
  await copyPass({ ...move, keys: { ...move.keys, fingerprintKey: name } }, { isLast: true });
  const brought = await getFingerprintKey(target, targetContentKeys, account.accountId);
  expect(brought.equals(key)).toBe(true);
  expect(await adoptFingerprintKey(source, testContentKeys, brought)).toBeNull();
});

/** A row counts as changed while a transaction that is older than it is open anywhere on the server, in another test too. */
async function olderTransactionsEnd(db: Database): Promise<void> {
  const [now] = await change(db, "select pg_current_xact_id()::text as id");
  await until("all older transactions have ended", 60, async () => {
    const [row] = await change(db, "select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_so", [now?.id]);
    return row?.is_so === true;
  });
}

function formatOf(sealed: unknown): number | undefined {
  return Buffer.isBuffer(sealed) ? sealed[0] : undefined;
}

async function daysOfLists(db: Database) {
  await foldListChanges(db, 1_000);
  return change(
    db,
    "select mode, list, day, count from list_days where account_id = $1 and count <> 0 order by 1, 2, 3",
    [account.accountId],
  );
}

async function findByRecipient(db: Database, accountId: string, recipient: string): Promise<string[]> {
  const none = { status: undefined, fromDomains: undefined, providerMessageId: undefined, apiKeyId: undefined };
  const anyTime = { before: undefined, since: undefined, until: undefined };
  const page = await listSends(db.forAccount(accountId), ["live"], { ...none, ...anyTime, recipient, limit: 10 });
  return page.sends.map(({ id }) => id);
}

function sum(rows: Record<string, number>): number {
  return Object.values(rows).reduce((total, written) => total + written, 0);
}

/** A row in each table that the full account has none in. */
async function fillOtherTables(): Promise<void> {
  const { accountId, userId, sent } = account;
  const statements = [
    "insert into usage_hours (account_id, mode, hour, domain, delivery_times) select $1, 'live', date_trunc('hour', now()), 'x.test', '{1,2}' where $2::uuid <> $3::uuid",
    "insert into usage_key_hours (account_id, api_key_id, hour, sends, recipients) select $1, $2, date_trunc('hour', now()), 1, 1 where $3::uuid is not null",
    "insert into usage_refusals (account_id, api_key_id, hour, code, count) select $1, $2, date_trunc('hour', now()), 'X', 9007199254740993 where $3::uuid is not null",
    "insert into usage_tag_days (account_id, mode, day, tag) select $1, 'live', current_date, 'Ä tag' where $2::uuid <> $3::uuid",
    "insert into usage_tags (account_id, mode, month, tag) select $1, 'live', date_trunc('month', now()), 'Ä tag' where $2::uuid <> $3::uuid",
    "insert into guard_counts (account_id, epoch, day) select $1, 0, current_date where $2::uuid <> $3::uuid on conflict do nothing",
    "insert into recovery_codes (user_id, code_hash) select $2, '\\x0102' where $1::uuid <> $3::uuid",
    "insert into oidc_identities (issuer, subject, user_id) select 'https://issuer.test', 'one', $2 where $1::uuid <> $3::uuid",
    "insert into logged_requests (id, account_id, mode, method, route, status, request_id) select new_id_at(now()), $1, 'live', 'GET', '/x', 400, 'r1' where $2::uuid <> $3::uuid",
    "insert into logged_request_hours (account_id, hour, code, entries) select $1, date_trunc('hour', now()), 'X', 1 where $2::uuid <> $3::uuid",
    "insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt) select new_id_at(now()), d.id, $1, d.endpoint_id, 1 from webhook_deliveries d where d.account_id = $1 and $2::uuid <> $3::uuid limit 1",
  ];
  for (const text of statements) await change(source, text, [accountId, userId, sent.id]);
}
