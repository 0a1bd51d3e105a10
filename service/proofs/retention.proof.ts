import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { createAcceptBatch } from "../src/accept/accept-batch.ts";
import { setLimits } from "../src/accounts/limit-store.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { openDatabaseClock } from "../src/db/database-clock.ts";
import { createFeedbackReceiver } from "../src/feedback/receive-feedback.ts";
import { createLog } from "../src/log.ts";
import { createMetrics } from "../src/metrics.ts";
import type { DroppedRecords } from "../src/storage/old-records.ts";
import { rebuildUsageDay } from "../src/usage/rebuild-usage.ts";
import { aCandidate } from "../test/a-candidate.ts";
import { anAccount } from "../test/builders.ts";
import { aReport, spamComplaint } from "../test/feedback-report-fixture.ts";
import { daysBefore, keptSince, makePastMonths } from "../test/past-records.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { change } from "../test/send-rows.ts";
import { copyTemplate } from "../test/template-database.ts";
import { countExisting, countLeft, countRecords, type Look, look, pickDroppable } from "./retention/inspect-record.ts";
import { storePastYear, storeUnfinished } from "./retention/past-year.ts";
import type { Traffic } from "./retention/traffic-process.ts";

const fullSize = 100_000;
const killsOf = (size: number) => (size < fullSize ? 6 : 40);
const retentionDays = 60;
const maxMs = 20 * 60_000;

export const proof: Proof = {
  promise:
    "The retention of records leaves no event without its send and no wrong total at any moment, although its process is killed, and nothing of what is older",
  covers: [
    "service/migrations",
    "service/proofs/retention",
    "service/src/accept",
    "service/src/db",
    "service/src/feedback",
    "service/src/storage",
    "service/src/usage",
  ],
  size: { small: 4_000, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const { url, drop } = await copyTemplate(serverUrl);
    const options = { poolSize: 6, applicationName: "retention", onIdleError: () => undefined };
    const db = openDatabase({ url, ...options, statementTimeoutMs: 300_000 });
    try {
      await makePastMonths(db);
      const [past, sender] = [await anOwner(db), await anOwner(db)];
      await storePastYear(db, past.accountId, size);
      const unfinished = await storeUnfinished(db, past.accountId);
      const kept = keptSince(retentionDays);
      const days = [1, 5, 20, 40].map((day) => `${daysBefore(kept, -day).slice(0, 10)}T00:00:00.000Z`);
      for (const day of days) await rebuild(db, past.accountId, day, true);
      const droppable = await pickDroppable(db, past.accountId);
      const repeatsBefore = droppable.length - (await useKeys(db, past, droppable));
      progress(`${size} sends of a year stored`);

      const before = await countRecords(db, past.accountId, kept);
      const { looks, traffic } = await dropUnderTraffic({ db, url, size, past, sender, progress });
      const after = await countRecords(db, past.accountId, kept);
      const partitions = before.partitions - after.partitions;
      const left = await countLeft(db, kept);
      const last = await look(db, past.accountId);
      const feedback = await reportAbout(db, past.accountId, droppable);
      const reused = await useKeys(db, past, droppable);
      let usageDifferences = 0;
      for (const day of days) usageDifferences += await rebuild(db, past.accountId, day, false);
      usageDifferences += await rebuild(
        db,
        sender.accountId,
        `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`,
        false,
      );
      const stillThere = await countExisting(db, unfinished);
      const worst = worstOf([...looks, last]);
      const leftText = Object.entries(left)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", ");
      return {
        figure:
          `of ${before.sends} sends and ${before.events} events of a year ${before.sends - after.sends} and ${before.events - after.events} dropped, with ` +
          `${partitions} partitions; ${after.olderSends} older sends stayed with a later event; ${killsOf(size)} processes killed with SIGKILL: ` +
          `in ${looks.length} looks meanwhile and at the end at most ${worst.unresolved} listed entries without their send, totals off by at most ` +
          `${worst.miscounted}; left of what is older: ${leftText}; ${stillThere} of ${unfinished.length} unfinished or lately submitted sends stayed; ` +
          `counters of usage that differ from a recount: ${usageDifferences}; of ${droppable.length} reports about dropped sends ${feedback.discarded} ` +
          `were discarded and ${feedback.quarantined} quarantined, ${reused} of their keys were used again; meanwhile ${traffic.accepted} sends ` +
          `accepted (the slowest ten in ${Math.round(traffic.slowestAcceptMs)} ms), ${traffic.reported} reported, and of the complaints about old ` +
          `sends ${lateText(traffic)}`,
        holds:
          worst.unresolved + worst.miscounted + usageDifferences === 0 &&
          Object.values(left).every((count) => count === 0) &&
          looks.length > 0 &&
          after.sends < before.sends / 2 &&
          after.olderSends > 0 &&
          partitions > 0 &&
          stillThere === unfinished.length &&
          repeatsBefore === droppable.length &&
          droppable.length > 0 &&
          feedback.discarded === droppable.length &&
          feedback.quarantined === 0 &&
          reused === droppable.length &&
          traffic.accepted > 0 &&
          traffic.reported > 0 &&
          (traffic.late["unknown-send"] ?? 0) === 0,
      };
    } finally {
      await db.close();
      await drop();
    }
  },
};

interface Owner {
  accountId: string;
  domain: string;
}

async function anOwner(db: Database): Promise<Owner> {
  const accountId = await anAccount(db);
  const domain = await aVerifiedDomain(db, accountId);
  await setLimits(db, accountId, { perSecond: 100_000, per10Seconds: 1_000_000, perMinute: 6_000_000 });
  await change(db, "update provider_state set max_per_second = 1000000");
  return { accountId, domain };
}

interface Drop {
  db: Database;
  url: string;
  size: number;
  past: Owner;
  sender: Owner;
  progress: ProofTools["progress"];
}

/** Kills one process of the chore after the other at a random moment, then lets one finish. Late complaints end before that. */
async function dropUnderTraffic({ db, url, size, past, sender, progress }: Drop) {
  const endsAt = performance.now() + maxMs;
  const runs: DroppedRecords[] = [];
  const looks: Look[] = [];
  const traffic: Traffic = { accepted: 0, reported: 0, slowestAcceptMs: 0, late: {} };
  const senderProcess = fork(join(import.meta.dirname, "retention/traffic-process.ts"), [
    url,
    sender.accountId,
    sender.domain,
    past.accountId,
  ]);
  senderProcess.on("message", (message) => add(traffic, message as Traffic));
  let chore: ChildProcess | undefined;
  try {
    for (let kills = 0; kills < killsOf(size); kills++) {
      chore = startChore(url, runs);
      await once(chore, "message");
      const pause = sleep(Math.random() * (size < fullSize ? 300 : 3_000));
      looks.push(await look(db, past.accountId));
      await pause;
      await killed(chore);
      requireRunning(senderProcess);
      progress(`${kills + 1} kills`);
    }
    while (traffic.accepted === 0) await sleep(50);
    await killed(senderProcess);
    const finished = runs.length;
    chore = startChore(url, runs);
    while (runs.length < finished + 2 || runs.at(-1)?.sends !== 0) {
      if (performance.now() > endsAt) throw new Error("the chore did not finish in time");
      requireRunning(chore);
      looks.push(await look(db, past.accountId));
      await sleep(50);
    }
  } finally {
    await killed(senderProcess);
    if (chore !== undefined) await killed(chore);
  }
  return { looks, traffic };
}

function startChore(url: string, runs: DroppedRecords[]): ChildProcess {
  const chore = fork(join(import.meta.dirname, "retention/drop-process.ts"), [url, String(retentionDays)]);
  chore.on("message", (message) => {
    if (message !== "ready") runs.push(message as DroppedRecords);
  });
  return chore;
}

function requireRunning({ exitCode }: ChildProcess): void {
  if (exitCode !== null) throw new Error(`a process ended by itself with code ${exitCode}`);
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function add(sum: Traffic, { accepted, reported, slowestAcceptMs, late }: Traffic): void {
  sum.accepted += accepted;
  sum.reported += reported;
  sum.slowestAcceptMs = Math.max(sum.slowestAcceptMs, slowestAcceptMs);
  for (const [verdict, count] of Object.entries(late)) sum.late[verdict] = (sum.late[verdict] ?? 0) + count;
}

/** Returns how many of the keys made a new send. */
async function useKeys(db: Database, { accountId, domain }: Owner, sendIds: string[]): Promise<number> {
  const decide = createAcceptBatch(db, await openDatabaseClock(db));
  const decisions = await Promise.all(
    sendIds.map((sendId) => {
      const candidate = aCandidate({ id: randomUUIDv7(), accountId, domain, recipients: ["again@x.test"] });
      if (candidate.send !== undefined) candidate.send.idempotencyHash = createHash("md5").update(sendId).digest();
      return decide(candidate);
    }),
  );
  return decisions.filter(({ kind }) => kind === "stored").length;
}

async function reportAbout(db: Database, accountId: string, sendIds: string[]) {
  const clock = await openDatabaseClock(db);
  const receive = createFeedbackReceiver({
    db,
    clock,
    mode: "live",
    log: createLog("silent"),
    metrics: createMetrics(),
  });
  const verdicts = await Promise.all(
    sendIds.map((id) => {
      const report = aReport({ id, accountId, messageId: `m-${id}` }, { ...spamComplaint, recipients: ["a@x.test"] });
      return receive(report, JSON.stringify(report));
    }),
  );
  const [row] = await change(db, "select count(*)::integer as count from feedback_quarantine");
  return {
    discarded: verdicts.filter((verdict) => verdict === "discarded").length,
    quarantined: Number(row?.count),
  };
}

/** Returns the number of counters that differ from the record. */
async function rebuild(db: Database, accountId: string, day: string, isCorrected: boolean): Promise<number> {
  const differences = await rebuildUsageDay(db, { accountId, mode: "live", day }, { isCorrected });
  if (differences === undefined) throw new Error(`the record of ${day} is gone`);
  return differences.length;
}

function worstOf(looks: Look[]): Look {
  return {
    unresolved: Math.max(...looks.map(({ unresolved }) => unresolved)),
    miscounted: Math.max(...looks.map(({ miscounted }) => miscounted)),
  };
}

function lateText({ late }: Traffic): string {
  return Object.entries(late)
    .map(([verdict, count]) => `${count} were ${verdict}`)
    .join(", ");
}
