import { rmSync } from "node:fs";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { storeQuota } from "../src/queue/provider-hold.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type PosternProcess, spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { readLedger } from "./cell/simulator-control.ts";
import { type Hold, type Problem, runHoldCycle } from "./pacing/hold-cycle.ts";
import {
  fromDomain,
  fullSize,
  isFull,
  type PacingFixture,
  queue,
  readState,
  until,
  untilDrained,
} from "./pacing/pacing-fixture.ts";
import { mostInASecond } from "./proxies/counting-proxy.ts";
import { startSubmitProxy } from "./proxies/submit-proxy.ts";

const maxPerSecond = 14;
/** Other load can stall the machine and bunch some sends, so a small run may measure up to three times. */
const smallRounds = 3;
const probeEverySeconds = 60;

export const proof: Proof = {
  promise:
    "Three workers use 90 % of MaxSendRate and never exceed it in any second; a quota or pause hold loses no send",
  covers: [
    "service/migrations",
    "service/proofs/pacing",
    "service/src/db",
    "service/src/delivery",
    "service/src/provider/ses",
    "service/src/queue",
  ],
  size: { small: 16, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator({ verifiedIdentities: [fromDomain], maxSendRate: maxPerSecond });
    const proxy = await startSubmitProxy(simulator.url);
    try {
      return await withSimulatedCell(serverUrl, { ...simulator, url: proxy.url }, async ({ db, environment }) => {
        await createSet(simulator);
        const accountId = await anAccount(db);
        await aVerifiedDomain(db, accountId, fromDomain);
        const contentKey = readConfig(environment).secrets.contentKey.current;
        const workers = size === fullSize ? 3 : 2;
        const processes = await Promise.all(Array.from({ length: workers }, () => spawnPostern("worker", environment)));
        const fixture: PacingFixture = { size, simulator, proxy, db, processes, accountId, contentKey, progress };
        try {
          return await measure(fixture);
        } finally {
          for (const { kill } of processes) kill("SIGTERM");
          await Promise.all(processes.map(({ exited }) => exited));
        }
      });
    } finally {
      await proxy.close();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

async function measure(fixture: PacingFixture): Promise<Finding> {
  await waitForRate(fixture);
  const cold = await warmUp(fixture);
  // At small size the probes are made due immediately.
  const cycles: Problem[][] = isFull(fixture)
    ? [
        ["quota", "paused"],
        ["paused", "quota"],
      ]
    : [["quota", "paused"]];
  const holds: Hold[] = [];
  for (const problems of cycles) holds.push(await runHoldCycle(fixture, problems));
  const rounds: Round[] = [];
  const mostRounds = isFull(fixture) ? 1 : smallRounds;
  while (rounds.length < mostRounds && !isWithinBounds(fixture, rounds.at(-1)))
    rounds.push(await measureRound(fixture));
  return evaluate(fixture, { cold, holds, rounds });
}

/** The workers read the rate from the provider; at small size the proof stores it instead of waiting. */
async function waitForRate(fixture: PacingFixture): Promise<void> {
  const { db } = fixture;
  if (!isFull(fixture)) await storeQuota(db, "live", { perSecond: maxPerSecond, enforcementStatus: undefined });
  await until(fixture, "the rate", async () => (await readState(db)).maxPerSecond === maxPerSecond);
}

/**
 * Sends until every worker has submitted once. The first submission of a process takes about 100 ms longer, because it loads
 * the SDK, and arrives close to the next ones. Returns the number of submissions.
 */
async function warmUp(fixture: PacingFixture): Promise<number> {
  const isCold = ({ logs }: PosternProcess) => !logs().some(({ event }) => event === "delivery.attempted");
  while (fixture.processes.some(isCold)) {
    await queue(fixture, fixture.processes.length);
    await untilDrained(fixture);
  }
  return fixture.proxy.seen.length;
}

interface Round {
  average: number;
  most: number;
}

async function measureRound(fixture: PacingFixture): Promise<Round> {
  const { proxy, size } = fixture;
  const before = proxy.seen.length;
  await queue(fixture, size);
  await untilDrained(fixture);
  const arrivals = proxy.seen.slice(before).map(({ at }) => at);
  return { average: averageOf(arrivals), most: mostInASecond(arrivals) };
}

/** 12.0 to 12.6 a second after rounding at full size; the few sends of a small run measure it only roughly. */
function isWithinBounds(fixture: PacingFixture, { average, most }: Round = { average: 0, most: 0 }): boolean {
  const [least, highest] = isFull(fixture) ? [11.95, 12.65] : [9, maxPerSecond];
  return average >= least && average <= highest && most <= maxPerSecond;
}

interface Measurements {
  /** Submissions before all processes were warm. */
  cold: number;
  holds: Hold[];
  rounds: Round[];
}

async function evaluate(fixture: PacingFixture, { cold, holds, rounds }: Measurements): Promise<Finding> {
  const { size, proxy, db, processes } = fixture;
  const arrivals = proxy.seen.map(({ at }) => at);
  const { average = 0, most = 0 } = rounds.at(-1) ?? {};
  const mostWarm = mostInASecond(arrivals.slice(cold));
  const accepted = (await readLedger(fixture.simulator)).length;
  const { sends, sent, failed, throttled } = await readOutcome(db);
  const sum = (of: (hold: Hold) => number) => holds.reduce((total, hold) => total + of(hold), 0);
  const extra = sum((hold) => hold.submitted - hold.probes);
  return {
    figure:
      `${processes.length} workers, MaxSendRate ${maxPerSecond}: ${size} sends at ${average.toFixed(2)} a second, at most ${most} in ` +
      `any second (round ${rounds.length}); of all ${arrivals.length} requests at most ${mostWarm} in any second, with the ` +
      `${cold} of cold processes ${mostInASecond(arrivals)}; ${maxPerSecond + 1} requests took at least ` +
      `${Math.floor(tightestSpan(arrivals.slice(cold)))} ms; ${throttled} throttled; holds for quota and pause, ` +
      `${holds.length} cycles, ${sum((hold) => hold.heldSeconds).toFixed(0)} s: ${sum((hold) => hold.probes)} probes, ${extra} other ` +
      `submissions while on hold, ${sum((hold) => hold.before)} in flight when the hold began; ${sent} of ${sends} sent and ` +
      `${accepted} accepted, ${failed} failed`,
    holds:
      isWithinBounds(fixture, rounds.at(-1)) &&
      // Requests of a stalled process arrive together, and other tests can stall the machine of a small run.
      ((mostWarm <= maxPerSecond && throttled === 0) || !isFull(fixture)) &&
      extra === 0 &&
      holds.every(({ probes, heldSeconds }) => !isFull(fixture) || heldSeconds > 0.95 * probes * probeEverySeconds) &&
      sends === cold + rounds.length * size + sum((hold) => hold.queued) &&
      sent === sends &&
      accepted === sends &&
      failed === 0,
  };
}

/** Over the whole span: the first arrival starts it, each further one ends an interval. */
function averageOf(arrivals: number[]): number {
  return (1000 * (arrivals.length - 1)) / (Math.max(...arrivals) - Math.min(...arrivals));
}

/** The shortest time in which one more than the rate arrived. */
function tightestSpan(arrivals: number[]): number {
  const ends = arrivals.slice(maxPerSecond);
  return Math.min(...ends.map((end, index) => end - (arrivals[index] ?? 0)));
}

async function createSet({ region, url: endpoint }: SesSimulator): Promise<void> {
  const provider = createSesProvider({ region, endpoint, accountId: "000000000000", partition: "aws" });
  await provider.createConfigurationSet("postern-AA");
}

interface Outcome {
  sends: number;
  sent: number;
  failed: number;
  throttled: number;
}

/** Counts throttling by the simulator's message, which the attempt stores. */
async function readOutcome(db: Database): Promise<Outcome> {
  const [row] = await db.query<Outcome>({
    name: "read-outcome",
    text: `
      select count(*) as sends,
        count(*) filter (where status = 'sent') as sent,
        count(*) filter (where status = 'failed') as failed,
        (select count(*) from send_attempts where detail ilike '%sending rate exceeded%') as throttled
      from sends`,
  });
  if (row === undefined) throw new Error("a count returns one row");
  return row;
}
