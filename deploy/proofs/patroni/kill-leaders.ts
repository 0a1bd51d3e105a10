import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readLedgerBySend } from "../../../chaos/check/ledger.ts";
import { readSends } from "../../../chaos/check/stored-sends.ts";
import { Load } from "../../../chaos/load/load.ts";
import type { Acknowledged } from "../../../chaos/load/load-plan.ts";
import type { ProofTools } from "../../../scripts/proof.ts";
import {
  type FeedbackCell,
  killProcess,
  untilRateIsKnown,
  withFeedbackCell,
} from "../../../service/proofs/cell/feedback-cell.ts";
import { changeSimulator } from "../../../service/proofs/cell/simulator-control.ts";
import { makeSenders, senderDomain } from "../../../service/proofs/sends/sending-client.ts";
import { until } from "../../../service/proofs/until.ts";
import type { PosternProcess } from "../../../service/test/spawn-postern.ts";
import { createTemplate } from "../../../service/test/template-database.ts";
import { countEndings, type InDoubtEndings } from "../in-doubt-endings.ts";
import { type PatroniCluster, startPatroniCluster } from "./patroni-cluster.ts";

export interface Scenario {
  isSynchronous: boolean;
  kills: number;
  /** Standbys receive nothing in the last seconds before each kill. */
  cutsReplication?: boolean;
}

export interface KilledLeaders {
  acknowledged: number;
  /** The longest time without a 202 around each kill. */
  secondsWithoutAccept: number[];
  /** From each kill until SES gets the next mail. */
  secondsWithoutSubmit: number[];
  /** Acknowledged sends that the database no longer has, or that SES never got. */
  missing: number;
  unsent: number;
  /** Sends that SES got twice, and those of them without an attempt record that explains it. */
  doubled: number;
  unexplained: number;
  /** Mails of sends that the database no longer has. */
  mailsOfUnknown: number;
  /** Sends marked in doubt because of a failover, and because a lease expired. */
  swept: number;
  expired: number;
  /** Workers that continued without marking mail in doubt. */
  withoutLoss: number;
  /** Ready sends at each kill. */
  backlogs: number[];
  inDoubt: InDoubtEndings;
}

const perSecond = 20;
/** Below the load, so that mail waits in the queue when the leader dies. */
const submittedPerSecond = 10;
const waitingAtKill = 40;
const lagSeconds = 3;
const senderCount = 4;
const workerSettings = { IN_DOUBT_SECONDS: "5", IN_DOUBT_MAX_SECONDS: "300" };

/**
 * Kills the leader repeatedly while two APIs and two workers work on it through the proxy. One of the workers dies with every leader, so
 * no surviving process knows what that worker had claimed.
 */
export async function killLeaders(scenario: Scenario, progress: ProofTools["progress"]): Promise<KilledLeaders> {
  const cluster = await startPatroniCluster(scenario.isSynchronous);
  try {
    await cluster.untilComplete();
    progress("the cluster is complete");
    await createTemplate(cluster.url);
    const verifiedIdentities = Array.from({ length: senderCount }, (_, number) => senderDomain(number));
    const options = { verifiedIdentities, maxSendRate: submittedPerSecond };
    return await withFeedbackCell(cluster.url, options, (cell) => runScenario(cell, cluster, scenario, progress));
  } finally {
    await cluster.stop();
  }
}

async function runScenario(
  cell: FeedbackCell,
  cluster: PatroniCluster,
  { kills, cutsReplication = false }: Scenario,
  progress: ProofTools["progress"],
): Promise<KilledLeaders> {
  const { db, simulator } = cell;
  const senders = await makeSenders(db, cell, senderCount, [1_000, 10_000, 60_000]);
  const apis = [await cell.start("api"), await cell.start("api")];
  const workers: PosternProcess[] = [];
  const startWorker = async () => void workers.push(await cell.start("worker", workerSettings));
  await startWorker();
  await startWorker();
  await untilRateIsKnown(cell);
  const load = new Load({
    urls: apis.map(({ url }) => url),
    senders,
    sends: null,
    perSecond,
    seed: 1,
    acknowledgedFile: join(simulator.dataFolder, "acknowledged.ndjson"),
  });
  const killedAt: number[] = [];
  const backlogs: number[] = [];
  const submitSeconds: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await until("mail waits in the queue", 120, async () => (await countReady(cell)) >= waitingAtKill, 500);
    backlogs.push(await countReady(cell));
    progress(`kill ${kill + 1} of ${kills}, ${backlogs.at(-1)} sends are ready`);
    if (cutsReplication) {
      await cluster.cutReplication();
      await sleep(lagSeconds * 1000);
    }
    const dying = workers.at(-1);
    killedAt.push(Date.now());
    await Promise.all([cluster.killLeader(), dying && killProcess(dying)]);
    const { acknowledged } = load.progress;
    await until("the API accepts again", 90, async () => load.progress.acknowledged > acknowledged + perSecond);
    submitSeconds.push(await secondsUntilSubmit(cell, killedAt.at(-1) ?? 0));
    await startWorker();
    if (kill === kills - 1) break;
    await cluster.replaceKilled();
    progress("waiting for the new standby");
    await cluster.untilComplete();
  }
  await load.finish();
  await submitFaster(cell);
  progress("waiting until every send is settled");
  await untilSettled(cell, progress);
  return {
    ...(await compare(cell, load.acknowledged())),
    secondsWithoutAccept: killedAt.map((at) => longestPause(load.acknowledged(), at)),
    secondsWithoutSubmit: submitSeconds,
    backlogs,
    swept: sumOf(workers, "delivery.older-sends-in-doubt"),
    expired: sumOf(workers, "delivery.leases-expired"),
    withoutLoss: workers
      .flatMap((worker) => worker.logs())
      .filter(({ event }) => event === "database.failover-without-loss").length,
  };
}

async function countReady({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-ready",
    text: `select count(*) as count from send_queue where state = 'ready'`,
  });
  return row?.count ?? 0;
}

/** Ignores mail that workers had claimed before the kill. */
async function secondsUntilSubmit({ simulator }: FeedbackCell, killedAtMs: number): Promise<number> {
  let seconds = 0;
  await until("SES gets mail again", 120, async () => {
    const ledger = await readLedgerBySend(join(simulator.dataFolder, "ledger.ndjson"));
    const times = [...ledger.values()].flat().map(({ acceptedAt }) => Date.parse(acceptedAt));
    const first = Math.min(...times.filter((at) => at > killedAtMs + 3_000));
    seconds = (first - killedAtMs) / 1000;
    return Number.isFinite(first);
  });
  return seconds;
}

function longestPause(acknowledged: Acknowledged[], aroundMs: number): number {
  const times = acknowledged.map(({ at }) => at).toSorted((one, other) => one - other);
  const before = times.filter((at) => at <= aroundMs).at(-1) ?? aroundMs;
  const after = times.filter((at) => at >= before && at <= aroundMs + 60_000);
  return Math.max(...after.map((at, index) => at - (after[index - 1] ?? before))) / 1000;
}

/** The rest of the backlog shows nothing more. Workers would learn the new rate within a minute. */
async function submitFaster({ db, simulator }: FeedbackCell): Promise<void> {
  await changeSimulator(simulator, "PATCH", "account", { maxSendRate: 200 });
  await db.query({ name: "faster", text: `update provider_state set max_per_second = 200 where mode = 'live'` });
}

async function untilSettled({ db }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  await until(
    "the queue is empty",
    300,
    async () => {
      const [row] = await db.query<{ left: number }>({ name: "left", text: `select count(*) as left from send_queue` });
      progress(`${row?.left} in the queue`);
      return row?.left === 0;
    },
    500,
  );
}

async function compare({ db, simulator }: FeedbackCell, acknowledged: Acknowledged[]) {
  const sends = await readSends(db);
  const known = new Map(sends.map((send) => [send.id, send]));
  const ledger = await readLedgerBySend(join(simulator.dataFolder, "ledger.ndjson"));
  const doubled = [...ledger].filter(([, mails]) => mails.length > 1).map(([id]) => id);
  return {
    acknowledged: acknowledged.length,
    missing: acknowledged.filter(({ id }) => !known.has(id)).length,
    unsent: sends.filter(({ id }) => !ledger.has(id)).length,
    doubled: doubled.length,
    unexplained: doubled.filter((id) => (known.get(id)?.attempts.length ?? 0) === 0).length,
    mailsOfUnknown: [...ledger.keys()].filter((id) => !known.has(id)).length,
    inDoubt: countEndings(sends, ledger),
  };
}

function sumOf(workers: PosternProcess[], event: string): number {
  return workers
    .flatMap((worker) => worker.logs())
    .filter((line) => line.event === event)
    .reduce((sum, { count }) => sum + Number(count), 0);
}
