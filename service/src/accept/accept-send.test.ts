import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { revokeApiKey } from "../api-keys/api-key-store.ts";
import { openDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { parseAddress, parseMailbox } from "../mail-address.ts";
import { forgetOutgoing, startMove } from "../moves/outgoing-move.ts";
import { openAcceptDeps } from "../processes/accept-deps.ts";
import type { SendRequest } from "../sends/send-request.ts";
import type { Decide } from "./accept-batch.ts";
import { type AcceptDeps, acceptSend, type Sender } from "./accept-send.ts";

const database = useTestDatabase();
const config = aConfig();

async function testDeps(): Promise<AcceptDeps> {
  return openAcceptDeps(config, database.db);
}

async function aSender(): Promise<{ sender: Sender; domain: string }> {
  const accountId = await anAccount(database.db);
  const domain = await aVerifiedDomain(database.db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  await database.db.query({
    name: "raise-limits",
    text: `
      update accounts
      set limit_per_second = 1000, limit_per_10_seconds = 1000, limit_per_minute = 1000
      where id = $1`,
    values: [accountId],
  });
  return { sender: { accountId, mode: "live", secretId: undefined, apiKeyId: undefined }, domain };
}

function aKeyOf({ accountId }: Sender) {
  return anApiKey(database.db, { pepper: config.secrets.apiKeyPepper.current, cellCode: config.cellCode }, accountId);
}

function aRequest(domain: string, changes: Partial<SendRequest> = {}): SendRequest {
  const [from, to] = [parseMailbox(`orders@${domain}`), parseAddress("jane@x.io")];
  if ("problem" in from || "problem" in to) throw new Error("the addresses of this test are invalid");
  const given = {
    from: from.given,
    to: [to.given],
    subject: "Hi",
    text: "Hi",
    html: undefined,
    cc: undefined,
    bcc: undefined,
    reply_to: undefined,
  };
  return {
    from,
    to: [to],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject: "Hi",
    html: undefined,
    text: "Hi",
    idempotencyKey: undefined,
    given,
    ...changes,
  };
}

/** Loses the first answer of the database, either after the commit or before the statement ran. */
function losingFirstAnswer(decide: Decide, isCommitted: boolean): Decide {
  let isLost = false;
  return async (candidates) => {
    if (isLost) return decide(candidates);
    isLost = true;
    if (isCommitted) await decide(candidates);
    throw new AppError("UNAVAILABLE", "The connection was cut.", { cause: new Error("reset") });
  };
}

async function countOf(table: "sends" | "send_queue" | "idempotency_keys", accountId: string): Promise<number> {
  const [row] = await database.db.query<{ count: number }>({
    name: `count-${table}`,
    text: `select count(*) as count from ${table} where account_id = $1`,
    values: [accountId],
  });
  return row?.count ?? -1;
}

test.each([undefined, "a-key"])(
  "a send whose commit was not confirmed is found and answered as stored (key %s)",
  async (idempotencyKey) => {
    const { sender, domain } = await aSender();
    const deps = await testDeps();
    const request = aRequest(domain, { idempotencyKey });
    const acceptance = await acceptSend({ ...deps, decide: losingFirstAnswer(deps.decide, true) }, sender, request);
    expect(acceptance).toMatchObject({ kind: "stored", accepted: { isRepeat: false, status: "queued" } });
    expect(await countOf("sends", sender.accountId)).toBe(1);
    if (idempotencyKey === undefined) return;
    const repeat = await acceptSend(deps, sender, request);
    expect(repeat).toMatchObject({
      kind: "repeat",
      accepted: { ...("accepted" in acceptance && acceptance.accepted), isRepeat: true },
    });
  },
);

test("the record names the API key of the send", async () => {
  const { sender, domain } = await aSender();
  const key = await aKeyOf(sender);
  const acceptance = await acceptSend(
    await testDeps(),
    { ...sender, apiKeyId: key.id, secretId: key.id },
    aRequest(domain),
  );
  const sendId = "accepted" in acceptance ? acceptance.accepted.id : undefined;
  const rows = await database.db.query({
    name: "key-of-send",
    text: "select api_key_id from sends where id = $1",
    values: [sendId],
  });
  expect(rows).toEqual([{ api_key_id: key.id }]);
});

test("a key that was revoked after the API checked it, but before the commit, is refused", async () => {
  const { sender, domain } = await aSender();
  const key = await aKeyOf(sender);
  await revokeApiKey(database.db.forAccount(sender.accountId), key.id);
  const acceptance = await acceptSend(
    await testDeps(),
    { ...sender, apiKeyId: key.id, secretId: key.id },
    aRequest(domain),
  );
  expect(acceptance).toEqual({ kind: "not-allowed" });
  expect(await countOf("sends", sender.accountId)).toBe(0);
});

test("a second try of the same candidate finds the send that the first try stored", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const decided: Parameters<Decide>[0][] = [];
  const decide: Decide = (candidates) => {
    decided.push(candidates);
    return deps.decide(candidates);
  };
  const first = await acceptSend({ ...deps, decide }, sender, aRequest(domain, { idempotencyKey: "k" }));
  const [candidates] = decided;
  if (candidates === undefined || !("accepted" in first)) throw new Error("the send was not accepted");
  expect(await deps.decide(candidates)).toMatchObject([{ kind: "repeat", answer: { sendId: first.accepted.id } }]);
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("a repeat whose answer was lost is still answered as a repeat", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const request = aRequest(domain, { idempotencyKey: "k" });
  await acceptSend(deps, sender, request);
  const repeat = await acceptSend({ ...deps, decide: losingFirstAnswer(deps.decide, true) }, sender, request);
  expect(repeat).toMatchObject({ kind: "repeat", accepted: { isRepeat: true } });
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("if the send was not stored, a request with an idempotency key is retried, and one without gets UNAVAILABLE", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const losing = () => ({ ...deps, decide: losingFirstAnswer(deps.decide, false) });
  expect(await acceptSend(losing(), sender, aRequest(domain, { idempotencyKey: "k" }))).toMatchObject({
    kind: "stored",
  });
  await expect(acceptSend(losing(), sender, aRequest(domain))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("a request that the database refuses fails alone, and the others in its batch are stored", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const poison = aRequest(domain, { subject: "NUL \0 cannot be stored", idempotencyKey: "poison" });
  const results = await Promise.allSettled([
    acceptSend(deps, sender, aRequest(domain)),
    acceptSend(deps, sender, poison),
    acceptSend(deps, sender, aRequest(domain, { idempotencyKey: "good" })),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await countOf("sends", sender.accountId)).toBe(2);
  expect(await countOf("idempotency_keys", sender.accountId)).toBe(1);
});

test("a send of an account that moves keeps the text of its idempotency key, by which the move finds the key", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const textOf = async (idempotencyKey: string) => {
    await acceptSend(deps, sender, aRequest(domain, { idempotencyKey }));
    const rows = await change(
      database.db,
      "select idempotency_key from sends where account_id = $1 order by id desc limit 1",
      [sender.accountId],
    );
    return rows[0]?.idempotency_key;
  };
  expect(await textOf("before")).toBeNull();
  const move = await startMove(database.db, {
    accountId: sender.accountId,
    targetUrl: "https://b.test",
    targetCell: "BB",
  });
  expect(await textOf("during")).toBe("during");
  await forgetOutgoing(database.db, move);
  expect(await textOf("after")).toBeNull();
});

test("eight processes that store the same keys in opposite orders create each send once, without a deadlock", async () => {
  const senders = await Promise.all(Array.from({ length: 10 }, aSender));
  const requests = senders.flatMap(({ sender, domain }) =>
    ["a", "b", "c"].map((idempotencyKey) => ({ sender, request: aRequest(domain, { idempotencyKey }) })),
  );
  const allDeps = await Promise.all(Array.from({ length: 8 }, testDeps));
  const answers = await Promise.all(
    allDeps.flatMap((deps, number) =>
      (number % 2 === 0 ? requests : requests.toReversed()).map(({ sender, request }) =>
        acceptSend(deps, sender, request),
      ),
    ),
  );
  expect(answers.filter((answer) => answer.kind === "stored")).toHaveLength(30);
  expect(answers.filter((answer) => answer.kind === "repeat")).toHaveLength(210);
  const stored = await Promise.all(senders.map(({ sender }) => countOf("send_queue", sender.accountId)));
  expect(stored).toEqual(Array.from({ length: 10 }, () => 3));
});

test("PostgreSQL plans the statement once per connection, also for single mails", async () => {
  const { sender, domain } = await aSender();
  const db = openDatabase({ url: database.url, poolSize: 1, applicationName: "one", onIdleError: () => undefined });
  onTestFinished(() => db.close());
  const deps = await openAcceptDeps(config, db);
  for (let mails = 0; mails < 8; mails++) await acceptSend(deps, sender, aRequest(domain));
  const plans = await db.query({
    name: "count-plans",
    text: `select custom_plans::integer as custom, generic_plans::integer as generic from pg_prepared_statements where name = 'accept-sends'`,
  });
  expect(plans).toEqual([{ custom: 0, generic: 8 }]);
});

test("workers get a hint for a queued send and none for a repeat", async () => {
  const { sender, domain } = await aSender();
  const hints = { live: 0, test: 0 };
  const hint = { live: () => void hints.live++, test: () => void hints.test++ };
  const deps = { ...(await testDeps()), hint };
  const request = aRequest(domain, { idempotencyKey: "k" });
  await acceptSend(deps, sender, request);
  await acceptSend(deps, sender, request);
  expect(hints).toEqual({ live: 1, test: 0 });
});

test("100 sends of one account do not delay the single send of another account behind all of them", async () => {
  const [busy, single] = [await aSender(), await aSender()];
  const deps = await testDeps();
  await Promise.all(Array.from({ length: 100 }, () => acceptSend(deps, busy.sender, aRequest(busy.domain))));
  await acceptSend(deps, single.sender, aRequest(single.domain));
  const rows = await database.db.query<{ accountId: string }>({
    name: "in-fair-order",
    text: `
      select account_id as "accountId"
      from send_queue
      where account_id in ($1, $2)
      order by fair_at, id`,
    values: [busy.sender.accountId, single.sender.accountId],
  });
  const position = rows.findIndex((row) => row.accountId === single.sender.accountId);
  expect(rows).toHaveLength(101);
  expect(position).toBeLessThan(20);
});

test("after an outage a send of an account without a backlog enters at the queue head, not behind the whole backlog", async () => {
  const [busy, idle] = [await aSender(), await aSender()];
  const before = await testDeps();
  await Promise.all(Array.from({ length: 50 }, () => acceptSend(before, busy.sender, aRequest(busy.domain))));
  await database.db.query({
    name: "age-the-queue",
    text: `update send_queue set fair_at = fair_at - interval '8 hours'`,
  });
  const after = await testDeps();
  // The first request of a process waits for the queue head.
  await acceptSend(after, idle.sender, aRequest(idle.domain));
  const rows = await database.db.query<{ accountId: string }>({
    name: "whole-queue-in-order",
    text: `select account_id as "accountId" from send_queue where mode = 'live' order by fair_at, id`,
  });
  const position = rows.findIndex((row) => row.accountId === idle.sender.accountId);
  const behindIt = rows.slice(position).filter((row) => row.accountId === busy.sender.accountId);
  expect(behindIt.length).toBeGreaterThan(30);
});

test("sends that have waited for less than a second are no backlog: the next account gets its fair_at from the clock", async () => {
  const waiting = await aSender();
  const deps = await testDeps();
  await acceptSend(deps, waiting.sender, aRequest(waiting.domain));
  const lagOfIdleAccount = async (waitingSeconds: number) => {
    const idle = await aSender();
    await database.db.query({
      name: "age-the-queue-by",
      text: `update send_queue set fair_at = now() - make_interval(secs => $1)`,
      values: [waitingSeconds],
    });
    const after = await testDeps();
    await acceptSend(after, idle.sender, aRequest(idle.domain));
    const [row] = await database.db.query<{ seconds: number }>({
      name: "lag-of-idle-account",
      text: `
        select extract(epoch from queued_at - fair_at)::float8 as seconds
        from send_queue
        join sends using (id)
        where send_queue.account_id = $1
        order by id desc
        limit 1`,
      values: [idle.sender.accountId],
    });
    return row?.seconds ?? Number.NaN;
  };
  expect(await lagOfIdleAccount(0.2)).toBeLessThanOrEqual(0);
  await expect.poll(() => lagOfIdleAccount(30), { timeout: 10_000 }).toBeGreaterThan(20);
});
