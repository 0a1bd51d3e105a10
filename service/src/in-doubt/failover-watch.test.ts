import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat, deliveryTestDeps } from "../../test/delivery-deps.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Mode } from "../mode.ts";
import { claimSends } from "../queue/claim-sends.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { leaveInDoubt, markSent, retryLater } from "../queue/settle-sends.ts";
import { findTimeline } from "../sends/send-timeline.ts";
import { declareFailover, recognizeServer, type ServerSeen } from "./failover-store.ts";
import { releaseSweptSends } from "./failover-sweep.ts";
import { FailoverWatch } from "./failover-watch.ts";
import { noteReportedSubmissions } from "./feedback-progress.ts";
import { readLastFailover } from "./last-failover.ts";
import { resendInDoubt } from "./resolve-in-doubt.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const elsewhere = "'7000000000000000001/00000001/5'";

describe("a server that workers know", () => {
  test("the first worker learns it, and nothing is in doubt by that", async () => {
    const id = await aReadySend();
    const { watch, lines } = aWatch();
    expect(await watch.look()).toBe(true);
    expect(await watch.look()).toBe(false);
    expect(lines).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 0 });
    expect(await claimedFrom("live")).toEqual([id]);
  });

  test("after a restart nothing is claimed until a worker has seen that it is the same", async () => {
    const { watch, lines } = aWatch();
    await watch.look();
    const id = await aReadySend();
    await change(database.db, "update provider_state set server_run = '1.5/5' where mode = 'live'");
    expect(await claimedFrom("live")).toEqual([]);
    expect(await watch.look()).toBe(true);
    expect(await claimedFrom("live")).toEqual([id]);
    expect(lines).toEqual([]);
  });
});

describe("another server", () => {
  test.for([
    ["a system that is another one", elsewhere],
    ["a timeline that is another one", "replace(server, '/00000001/', '/00000009/')"],
    ["a database that is another one", "server || '0'"],
  ])("%s: nothing of before is claimed, and it is told once by one of 8 workers", async ([, server = ""]) => {
    const workers = Array.from({ length: 8 }, () => aWatch());
    await workers[0]?.watch.look();
    const id = await aReadySend();
    await asIfFrom(server);
    expect(await claimedFrom("live")).toEqual([]);
    // One that finds another at work leaves it for its next look.
    await Promise.all(workers.map(({ watch }) => watch.look()));
    await workers[7]?.watch.look();
    expect(await claimedFrom("live")).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt", attempt: 1_000 });
    const told = workers.flatMap(({ lines }) => lines);
    expect(told.filter(({ event }) => event === "database.failover-detected")).toMatchObject([{ cause: "server" }]);
    expect(told.filter(({ event }) => event === "delivery.older-sends-in-doubt")).toMatchObject([{ count: 1 }]);
    const counts = await Promise.all(workers.map(({ counted }) => counted("postern_failovers_total", causeServer)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  test("sends in every state are in doubt as of the change; test mail and new sends go on", async () => {
    await aWatch().watch.look();
    const [leased, waiting, doubtful] = [
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
    ];
    await retryLater(database.db, [{ ...attemptOf(waiting), outcome: "try-later", counts: true, delaySeconds: 900 }]);
    await leaveInDoubt(database.db, [{ ...attemptOf(doubtful), outcome: "unknown" }]);
    const [ready, parked, ofTestMail] = [await aReadySend(), await aReadySend(), await aReadySend("test")];
    await change(database.db, "update send_queue set state = 'parked', due_at = now() where id = $1", [parked]);
    await change(database.db, "update send_queue set attempted_at = now() - interval '2 hours' where attempt = 1");
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    for (const id of [leased.id, waiting.id, doubtful.id, ready, parked]) {
      expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt", dueInSeconds: 0 });
    }
    expect(await attemptsOf(database.db, ready)).toEqual(["1000 unknown"]);
    expect(await attemptsOf(database.db, doubtful.id)).toEqual(["1 unknown", "1001 unknown"]);
    const fresh = await aReadySend();
    expect(await claimedFrom("live")).toEqual([fresh]);
    expect(await claimedFrom("test")).toEqual([ofTestMail]);
    expect(await readLastFailover(database.db, 10)).toMatchObject({ markedInDoubt: 5, inDoubt: 5, isSweeping: false });
  });

  test("the record of a send tells why it is in doubt", async () => {
    await aWatch().watch.look();
    const accountId = await anAccount(database.db);
    const id = await aQueuedSend(database.db, { accountId });
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    const timeline = await findTimeline(database.db.forAccount(accountId), "live", id);
    expect(timeline).toMatchObject({
      send: { status: "processing" },
      entries: [
        { type: "accepted" },
        { type: "attempt", outcome: "unknown", detail: expect.stringContaining("server changed") },
      ],
    });
  });

  test("evidence of an attempt that the record never had takes the send out of the queue", async () => {
    await aWatch().watch.look();
    const id = await aReadySend();
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    const [confirmation] = await confirmSubmissions(database.db, [evidenceOf(id, 3)]);
    expect(confirmation).toEqual({ hasMoved: true, isDoubled: false, isAhead: false });
    expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", providerMessageId: "m-3" });
  });

  test("a worker that was handing over meanwhile settles its send by its answer", async () => {
    await aWatch().watch.look();
    const send = await aClaimedSend(database.db);
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    expect(
      await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]),
    ).toEqual(["sent"]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
  });

  test("signs of feedback from before the change are no silence, even if they are ahead of this server's clock", async () => {
    await aWatch().watch.look();
    const id = await aReadySend();
    await change(
      database.db,
      "update feedback_progress set reported_submission_at = now() + interval '10 minutes', queue_empty_at = now(), last_report_at = now()",
    );
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
    await change(database.db, "update send_queue set due_at = now() - interval '130 seconds'");
    await change(database.db, "update feedback_progress set reported_submission_at = null, queue_empty_at = null");
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
    await noteReportedSubmissions(database.db, "live", new Date().toISOString());
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([id]);
  });

  test("a mail of the lost time that is told of after the send went out again is counted as doubled", async () => {
    await aWatch().watch.look();
    const lost = await aClaimedSend(database.db);
    await retryLater(database.db, [{ ...attemptOf(lost), outcome: "try-later", counts: true, delaySeconds: 900 }]);
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    await change(database.db, "update send_queue set due_at = now() - interval '2 hours'");
    await resendInDoubt(database.db, "live", rule);
    const [again] = (await claim("live")).sends;
    if (again === undefined) throw new Error("nothing was claimed");
    expect(again.attempt).toBe(1_002);
    await markSent(database.db, [{ ...attemptOf(again), outcome: "accepted", providerMessageId: "m-new" }]);
    expect(await confirmSubmissions(database.db, [evidenceOf(lost.id, 2)])).toMatchObject([{ isDoubled: true }]);
  });

  test("a worker that dies in the midst of it leaves the rest to another, and nothing is claimed before", async () => {
    await aWatch().watch.look();
    const ids = [await aReadySend(), await aReadySend()];
    await asIfFrom(elsewhere);
    expect(await recognizeServer(database.db, { position: null, changedAt: null })).toMatchObject({ cause: "server" });
    expect(await claimedFrom("live")).toEqual([]);
    expect(await aWatch().watch.look()).toBe(true);
    for (const id of ids) expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });

  test("a second failover during the sweep begins it anew", async () => {
    await aWatch().watch.look();
    const id = await aReadySend();
    await declareFailover(database.db, "operator", "infinity");
    await change(database.db, `update provider_state set server = ${elsewhere} where mode = 'live'`);
    const { watch, lines } = aWatch();
    expect(await watch.look()).toBe(true);
    expect(lines).toMatchObject([{ event: "database.failover-detected", cause: "server" }, { count: 1 }]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
    expect(await change(database.db, "select from failovers where swept_at is null")).toEqual([]);
  });
});

describe("an older copy of the same server", () => {
  test("is noticed by a worker that had seen more on disk, and by one of them", async () => {
    await aWatch().watch.look();
    const id = await aReadySend();
    // As if the server had had much more on disk when these workers last looked.
    const seen = { position: "FFFF/0", changedAt: null };
    const [one, other] = [aWatch(seen), aWatch(seen)];
    expect(await one.watch.look()).toBe(true);
    await other.watch.look();
    expect(one.lines).toMatchObject([{ cause: "rewound" }, { count: 1 }]);
    expect(other.lines).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });
});

describe("an operator who knows better", () => {
  test("declares a change, and mail of before is in doubt", async () => {
    const { watch } = aWatch();
    await watch.look();
    const id = await aReadySend();
    expect(await declareFailover(database.db, "operator", "infinity")).toMatchObject({ cause: "operator" });
    expect(await claimedFrom("live")).toEqual([]);
    expect(await readLastFailover(database.db, 10)).toMatchObject({ isSweeping: true });
    expect(await watch.look()).toBe(true);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
    expect(await watch.look()).toBe(false);
  });

  test("says that nothing was lost: what only waited is ready, what was in hand stays in doubt", async () => {
    await aWatch().watch.look();
    const inHand = await aClaimedSend(database.db);
    const id = await aReadySend();
    await asIfFrom(elsewhere);
    await aWatch().watch.look();
    expect(await releaseSweptSends(database.db)).toBe(1);
    expect(await claimedFrom("live")).toEqual([id]);
    expect(await queueRow(database.db, inHand.id)).toMatchObject({ state: "in-doubt" });
    expect(await attemptsOf(database.db, id)).toEqual(["1000 returned"]);
  });
});

const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3_600 };
const causeServer = { cause: "server" };

function aWatch(seen?: ServerSeen) {
  const { deps, lines, counted } = deliveryTestDeps(database.db, aProviderThat(answers.accepted).provider);
  return { watch: new FailoverWatch({ ...deps, db: database.db }, seen), lines, counted };
}

async function aReadySend(mode: Mode = "live"): Promise<string> {
  return aQueuedSend(database.db, { accountId: await anAccount(database.db), mode });
}

/** As if the data had been written on a server with this identity and come here by replication, a backup or a dump. */
async function asIfFrom(server: string): Promise<void> {
  await change(database.db, `update provider_state set server = ${server}, server_run = '1.5/5' where mode = 'live'`);
}

function claim(mode: Mode) {
  return claimSends(database.db, { mode, maxSends: 100, maxRecipients: 100, fromFairAt: "-infinity", isProbe: false });
}

async function claimedFrom(mode: Mode): Promise<string[]> {
  return (await claim(mode)).sends.map(({ id }) => id);
}

function evidenceOf(sendId: string, attempt: number) {
  return { sendId, attempt, providerMessageId: `m-${attempt}`, at: undefined };
}
