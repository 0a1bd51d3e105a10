import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { readConfig } from "../src/config.ts";
import { holdByOperator, releaseByOperator } from "../src/queue/operator-hold.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { type FeedbackCell, withFeedbackCell } from "./cell/feedback-cell.ts";
import { queueSends } from "./sends/queued-sends.ts";
import { cutStarts } from "./stuck/cut-starts.ts";
import { claimsFail, databaseFaults, type StuckFault } from "./stuck/faults.ts";
import { noticedWithin, readAlarms, type Symptom } from "./stuck/notices.ts";
import { until } from "./until.ts";

/** Seconds of normal operation. */
const fullSize = 600;
/** Shorter runs inject only one fault. */
const allFaultsFrom = 60;
/** For each kind of process. One takes about 5 s, so all of them take less than 10 minutes. Shorter runs have fewer. */
const fullCuts = 40;
const promisedSeconds = 30;
/** A small run shares the machine with other tests. */
const limitSeconds = 90;
/** The rate of a new SES account in production. The queue is longer than it allows for the whole run. */
const ratePerSecond = 14;
const domain = "stuck.test";

export const proof: Proof = {
  promise: "A process that does not work is noticed within 30 s, and a process whose start fails exits",
  covers: [
    "service/migrations",
    "service/proofs/stuck",
    "service/src/db",
    "service/src/delivery",
    "service/src/loops",
    "service/src/processes",
    "service/src/status",
  ],
  size: { small: 3, full: fullSize },
  run: (size, tools) =>
    withFeedbackCell(
      tools.serverUrl,
      { verifiedIdentities: [domain], maxSendRate: ratePerSecond, max24HourSend: -1 },
      (cell) => (size < allFaultsFrom ? runSome(cell, size) : runAll(cell, size, tools)),
    ),
};

interface Notice {
  name: string;
  seconds: number | undefined;
}

/** Normal operation, then claims that fail. */
async function runSome(cell: FeedbackCell, seconds: number): Promise<Finding> {
  const [observer, worker] = await Promise.all([cell.start("api"), cell.start("worker")]);
  await queueMail(cell, 2_000);
  const alarms = await watchNormalOperation(cell, seconds, [observer, worker]);
  await claimsFail.inject(cell.db);
  const took = await noticedWithin(limitSeconds, claimsFail, { db: cell.db, observer });
  const notices = [{ name: claimsFail.name, seconds: took }];
  return describe({ seconds, alarms, notices, limit: limitSeconds });
}

async function runAll(cell: FeedbackCell, seconds: number, { progress }: ProofTools): Promise<Finding> {
  const { db } = cell;
  const observer = await cell.start("api");
  const seen = (name: string, symptom: Symptom) => {
    progress(name);
    return noticedWithin(limitSeconds, symptom, { db, observer }).then((took): Notice => ({ name, seconds: took }));
  };
  const notices: Notice[] = [];
  const noWorker = { problem: /^No worker is running/, metric: /^postern_processes\{role="worker"\} 0/m };
  const [worker, another] = [await cell.start("worker"), await cell.start("worker")];
  await queueMail(cell, ratePerSecond * (seconds + 1_200));
  progress("normal operation");
  const alarms = await watchNormalOperation(cell, seconds, [observer, worker], async () => {
    another.kill("SIGTERM");
    await another.exited;
    await cell.start("worker").then((replacement) => replacement.kill("SIGTERM"));
  });
  for (const fault of databaseFaults) {
    progress(fault.name);
    notices.push(await noticeFault(cell, observer, fault));
  }
  notices.push({ name: "not live", seconds: await untilNotLive(cell, worker) });

  worker.kill("SIGSTOP");
  const frozen = { problem: /crashed or is frozen/, metric: /^postern_processes_vanished 1/m };
  notices.push(await seen("a frozen worker", frozen));
  worker.kill("SIGCONT");
  await untilQuiet(observer);
  worker.kill("SIGTERM");
  await worker.exited;
  notices.push(await seen("no worker", noWorker));
  const starts = await cutStarts(cell.environment, Math.ceil((fullCuts * seconds) / fullSize), progress);
  return describe({ seconds, alarms, notices, limit: promisedSeconds, starts });
}

/** Sends that the rate of SES spreads over the whole run. */
async function queueMail({ db, environment }: FeedbackCell, count: number): Promise<void> {
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId, domain);
  const contentKey = readConfig(environment).secrets.contentKey.current;
  for (let queued = 0; queued < count; queued += 1_000) {
    await queueSends(db, { accountId, fromDomain, count: Math.min(1_000, count - queued), contentKey });
  }
}

async function holdAndRelease({ db }: FeedbackCell): Promise<void> {
  await holdByOperator(db, "a proof");
  await sleep(1_000);
  await releaseByOperator(db);
}

/** Returns every alarm about processes, claims and chores. A hold by the operator is part of it. `restart` runs half-way. */
async function watchNormalOperation(
  cell: FeedbackCell,
  seconds: number,
  observers: PosternProcess[],
  restart: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const alarms = new Set<string>();
  const end = performance.now() + seconds * 1000;
  const held = holdAndRelease(cell);
  const restarted = sleep(seconds * 500).then(restart);
  while (performance.now() < end) {
    for (const alarm of (await Promise.all(observers.map(readAlarms))).flat()) alarms.add(alarm);
    await sleep(500);
  }
  await Promise.all([held, restarted]);
  return [...alarms];
}

async function noticeFault({ db }: FeedbackCell, observer: PosternProcess, fault: StuckFault): Promise<Notice> {
  const end = await fault.inject(db);
  try {
    return { name: fault.name, seconds: await noticedWithin(limitSeconds, fault, { db, observer }) };
  } finally {
    await end();
    await untilQuiet(observer);
  }
}

async function untilQuiet(observer: PosternProcess): Promise<void> {
  await until("no alarm after the fault has ended", 60, async () => (await readAlarms(observer)).length === 0, 500);
}

/** A worker whose claims fail asks its supervisor for a restart; with working claims it is live again. */
async function untilNotLive({ db }: FeedbackCell, worker: PosternProcess): Promise<number> {
  const statusOf = async () => (await fetch(`${worker.operationsUrl}/live`)).status;
  const end = await claimsFail.inject(db);
  const begun = performance.now();
  await until("not live", limitSeconds, async () => (await statusOf()) === 503, 500);
  const seconds = (performance.now() - begun) / 1000;
  await end();
  await until("live again", limitSeconds, async () => (await statusOf()) === 200, 500);
  // The 30 s of failing claims count from the first failure, and the promise is about the time after them.
  return seconds - promisedSeconds;
}

interface Measured {
  seconds: number;
  alarms: string[];
  notices: Notice[];
  limit: number;
  starts?: Awaited<ReturnType<typeof cutStarts>>;
}

function describe({ seconds, alarms, notices, limit, starts }: Measured): Finding {
  const missed = notices.filter((notice) => notice.seconds === undefined || notice.seconds > limit);
  const times = notices.map((notice) => `${notice.name} ${notice.seconds?.toFixed(0) ?? "never"} s`).join(", ");
  const startText =
    starts === undefined
      ? ""
      : `; ${starts.cuts} starts with the database cut at a statement, ${starts.failures.length} without an exit with an error, ` +
        `the slowest ended after ${starts.slowestSeconds.toFixed(0)} s`;
  return {
    figure:
      `${alarms.length} false alarms in ${seconds} s of normal operation at the full rate of SES; ` +
      `noticed in status, health and metrics: ${times}${startText}` +
      [...alarms, ...(starts?.failures ?? [])].map((problem) => `\n${problem}`).join(""),
    holds: alarms.length === 0 && missed.length === 0 && (starts?.failures.length ?? 0) === 0,
  };
}
