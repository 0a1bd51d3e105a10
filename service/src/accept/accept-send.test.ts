import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { parseAddress, parseMailbox } from "../mail-address.ts";
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
  return { sender: { accountId, mode: "live", keyHmac: undefined }, domain };
}

function aRequest(domain: string, change: Partial<SendRequest> = {}): SendRequest {
  const [from, to] = [parseMailbox(`orders@${domain}`), parseAddress("jane@x.io")];
  if ("problem" in from || "problem" in to) throw new Error("the test's own addresses are wrong");
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
    ...change,
  };
}

/** The first round trip loses its answer, after the commit or before the statement ran. */
function losingOne(decide: Decide, isCommitted: boolean): Decide {
  let isLost = false;
  return async (candidate) => {
    if (isLost) return decide(candidate);
    isLost = true;
    if (isCommitted) await decide(candidate);
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
  "a send whose commit was not confirmed is found again and answered once (key %s)",
  async (idempotencyKey) => {
    const { sender, domain } = await aSender();
    const deps = await testDeps();
    const request = aRequest(domain, { idempotencyKey });
    const acceptance = await acceptSend({ ...deps, decide: losingOne(deps.decide, true) }, sender, request);
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

test("a try that is made again while the first is still being stored finds itself", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const tried: Parameters<Decide>[0][] = [];
  const decide: Decide = (candidate) => {
    tried.push(candidate);
    return deps.decide(candidate);
  };
  const first = await acceptSend({ ...deps, decide }, sender, aRequest(domain, { idempotencyKey: "k" }));
  const [candidate] = tried;
  if (candidate === undefined || !("accepted" in first)) throw new Error("nothing was accepted");
  expect(await deps.decide(candidate)).toMatchObject({ kind: "repeat", answer: { sendId: first.accepted.id } });
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("a repeat whose answer was lost is answered as the repeat it is", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const request = aRequest(domain, { idempotencyKey: "k" });
  await acceptSend(deps, sender, request);
  const repeat = await acceptSend({ ...deps, decide: losingOne(deps.decide, true) }, sender, request);
  expect(repeat).toMatchObject({ kind: "repeat", accepted: { isRepeat: true } });
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("without a trace of the send a request with a key is tried again, and one without a key is answered 503", async () => {
  const { sender, domain } = await aSender();
  const deps = await testDeps();
  const losing = () => ({ ...deps, decide: losingOne(deps.decide, false) });
  expect(await acceptSend(losing(), sender, aRequest(domain, { idempotencyKey: "k" }))).toMatchObject({
    kind: "stored",
  });
  await expect(acceptSend(losing(), sender, aRequest(domain))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await countOf("sends", sender.accountId)).toBe(1);
});

test("a request that the database refuses fails alone, and those that came with it are stored", async () => {
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

test("workers are told of what they can do: a queued send, and neither a repeat nor a suppressed one", async () => {
  const { sender, domain } = await aSender();
  let hints = 0;
  const deps = { ...(await testDeps()), hint: () => void hints++ };
  const request = aRequest(domain, { idempotencyKey: "k" });
  await acceptSend(deps, sender, request);
  await acceptSend(deps, sender, request);
  expect(hints).toBe(1);
});

test("sends of an account line up behind each other, so that another's single send is not behind all of them", async () => {
  const [crowd, single] = [await aSender(), await aSender()];
  const deps = await testDeps();
  await Promise.all(Array.from({ length: 100 }, () => acceptSend(deps, crowd.sender, aRequest(crowd.domain))));
  await acceptSend(deps, single.sender, aRequest(single.domain));
  const rows = await database.db.query<{ accountId: string }>({
    name: "in-fair-order",
    text: `
      select account_id as "accountId"
      from send_queue
      where account_id in ($1, $2)
      order by fair_at, id`,
    values: [crowd.sender.accountId, single.sender.accountId],
  });
  const place = rows.findIndex((row) => row.accountId === single.sender.accountId);
  expect(rows).toHaveLength(101);
  expect(place).toBeLessThan(20);
});

test("after an outage a newcomer lines up at the head of the queue and not behind the whole backlog", async () => {
  const [crowd, newcomer] = [await aSender(), await aSender()];
  const before = await testDeps();
  await Promise.all(Array.from({ length: 50 }, () => acceptSend(before, crowd.sender, aRequest(crowd.domain))));
  await database.db.query({
    name: "age-the-queue",
    text: `update send_queue set fair_at = fair_at - interval '8 hours'`,
  });
  const after = await testDeps();
  // By its answer the look at the head, which was asked for before, has come back as well.
  await acceptSend(after, crowd.sender, aRequest(crowd.domain));
  await acceptSend(after, newcomer.sender, aRequest(newcomer.domain));
  const rows = await database.db.query<{ accountId: string }>({
    name: "whole-queue-in-order",
    text: `select account_id as "accountId" from send_queue where mode = 'live' order by fair_at, id`,
  });
  const ahead = rows.findIndex((row) => row.accountId === newcomer.sender.accountId);
  const behind = rows.slice(ahead).filter((row) => row.accountId === crowd.sender.accountId);
  expect(behind.length).toBeGreaterThan(30);
});

test("what has just come is no backlog: a newcomer gets its turn by the clock", async () => {
  const waiting = await aSender();
  const deps = await testDeps();
  await acceptSend(deps, waiting.sender, aRequest(waiting.domain));
  const lagOfNewcomer = async (waitingSeconds: number) => {
    const newcomer = await aSender();
    await database.db.query({
      name: "wait-so-long",
      text: `update send_queue set fair_at = now() - make_interval(secs => $1)`,
      values: [waitingSeconds],
    });
    const after = await testDeps();
    await acceptSend(after, waiting.sender, aRequest(waiting.domain));
    // The look at the head, which that asked for, comes back meanwhile.
    await sleep(100);
    await acceptSend(after, newcomer.sender, aRequest(newcomer.domain));
    const [row] = await database.db.query<{ seconds: number }>({
      name: "lag-of-newcomer",
      text: `
        select extract(epoch from queued_at - fair_at)::float8 as seconds
        from send_queue
        join sends using (id)
        where send_queue.account_id = $1
        order by id desc
        limit 1`,
      values: [newcomer.sender.accountId],
    });
    return row?.seconds ?? Number.NaN;
  };
  expect(await lagOfNewcomer(0.2)).toBeLessThanOrEqual(0);
  await expect.poll(() => lagOfNewcomer(30), { timeout: 10_000 }).toBeGreaterThan(20);
});
