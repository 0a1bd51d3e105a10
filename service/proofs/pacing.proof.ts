import { rmSync } from "node:fs";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { storeMaxRate } from "../src/queue/provider-hold.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type PosternProcess, spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { mostInASecond } from "./counting-proxy.ts";
import { goThrough, type Hold, type Problem } from "./hold-cycle.ts";
import { fromDomain, fullSize, isFull, queue, readState, type Stage, until, untilDrained } from "./pacing-stage.ts";
import { readLedger } from "./simulator-control.ts";
import { startSubmitProxy } from "./submit-proxy.ts";

const maxPerSecond = 14;
/** Other tests make the machine stand still for a moment, which brings some sends together: then it is measured again. */
const smallRounds = 3;
const probeEverySeconds = 60;

export const proof: Proof = {
  promise: "Three workers use 90 % of MaxSendRate and never exceed it in any second; a quota or a pause loses nothing",
  size: { small: 16, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator({ verifiedIdentities: [fromDomain], maxSendRate: maxPerSecond });
    const front = await startSubmitProxy(simulator.url);
    try {
      return await withSimulatedCell(serverUrl, { ...simulator, url: front.url }, async ({ db, environment }) => {
        await createSet(simulator);
        const accountId = await anAccount(db);
        await aVerifiedDomain(db, accountId, fromDomain);
        const contentKey = readConfig(environment).secrets.contentKey.current;
        const workers = size === fullSize ? 3 : 2;
        const processes = await Promise.all(Array.from({ length: workers }, () => spawnPostern("worker", environment)));
        const stage: Stage = { size, simulator, front, db, processes, accountId, contentKey, progress };
        try {
          return await watch(stage);
        } finally {
          for (const { kill } of processes) kill("SIGTERM");
          await Promise.all(processes.map(({ exited }) => exited));
        }
      });
    } finally {
      await front.close();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

async function watch(stage: Stage): Promise<Finding> {
  await knowTheRate(stage);
  const cold = await warmUp(stage);
  // At the small size the probes are not waited for: they are asked for at once.
  const cycles: Problem[][] = isFull(stage)
    ? [
        ["quota", "paused"],
        ["paused", "quota"],
      ]
    : [["quota", "paused"]];
  const holds: Hold[] = [];
  for (const problems of cycles) holds.push(await goThrough(stage, problems));
  const rounds: Round[] = [];
  const mostRounds = isFull(stage) ? 1 : smallRounds;
  while (rounds.length < mostRounds && !isWithinBounds(stage, rounds.at(-1))) rounds.push(await measureRound(stage));
  return judge(stage, { cold, holds, rounds });
}

/** The workers read it from the provider; at the small size their turn to ask is not waited for. */
async function knowTheRate(stage: Stage): Promise<void> {
  const { db } = stage;
  if (!isFull(stage)) await storeMaxRate(db, "live", maxPerSecond);
  await until(stage, "the rate is known", async () => (await readState(db)).maxPerSecond === maxPerSecond);
}

/**
 * Until every worker has handed something over, because the first hand-over of a process takes some 100 ms more (the SDK
 * is loaded with it) and comes close to those that follow. Returns how many that took.
 */
async function warmUp(stage: Stage): Promise<number> {
  const isCold = ({ logs }: PosternProcess) => !logs().some(({ event }) => event === "delivery.attempted");
  while (stage.processes.some(isCold)) {
    await queue(stage, stage.processes.length);
    await untilDrained(stage);
  }
  return stage.front.seen.length;
}

interface Round {
  average: number;
  most: number;
}

async function measureRound(stage: Stage): Promise<Round> {
  const { front, size } = stage;
  const before = front.seen.length;
  await queue(stage, size);
  await untilDrained(stage);
  const arrivals = front.seen.slice(before).map(({ at }) => at);
  return { average: averageOf(arrivals), most: mostInASecond(arrivals) };
}

/** 12.0 to 12.6 a second after rounding; a few sends measure it only roughly. */
function isWithinBounds(stage: Stage, { average, most }: Round = { average: 0, most: 0 }): boolean {
  const [least, highest] = isFull(stage) ? [11.95, 12.65] : [9, maxPerSecond];
  return average >= least && average <= highest && most <= maxPerSecond;
}

interface Watched {
  /** How many came before all processes were warm. */
  cold: number;
  holds: Hold[];
  rounds: Round[];
}

async function judge(stage: Stage, { cold, holds, rounds }: Watched): Promise<Finding> {
  const { size, front, db, processes } = stage;
  const arrivals = front.seen.map(({ at }) => at);
  const { average = 0, most = 0 } = rounds.at(-1) ?? {};
  const mostWarm = mostInASecond(arrivals.slice(cold));
  const accepted = (await readLedger(stage.simulator)).length;
  const { sends, sent, failed, throttled } = await readOutcome(db);
  const sum = (of: (hold: Hold) => number) => holds.reduce((total, hold) => total + of(hold), 0);
  const extra = sum((hold) => hold.submitted - hold.probes);
  return {
    figure:
      `${processes.length} workers, MaxSendRate ${maxPerSecond}: ${size} sends at ${average.toFixed(2)} a second, at most ${most} in ` +
      `any second (round ${rounds.length}); of all ${arrivals.length} requests at most ${mostWarm} in any second, with the ` +
      `${cold} of cold processes ${mostInASecond(arrivals)}; ${maxPerSecond + 1} took at least ` +
      `${Math.floor(tightestSpan(arrivals.slice(cold)))} ms; ${throttled} throttled; held for quota and pause in turn ` +
      `${holds.length} times, ${sum((hold) => hold.heldSeconds).toFixed(0)} s: ${sum((hold) => hold.probes)} probes, ${extra} other ` +
      `hand-overs while held, ${sum((hold) => hold.before)} under way when the hold came; ${sent} of ${sends} sent and ` +
      `${accepted} accepted, ${failed} failed`,
    holds:
      isWithinBounds(stage, rounds.at(-1)) &&
      // Requests of a process that stood still arrive at once; at the small size other tests keep the machine busy.
      ((mostWarm <= maxPerSecond && throttled === 0) || !isFull(stage)) &&
      extra === 0 &&
      holds.every(({ probes, heldSeconds }) => !isFull(stage) || heldSeconds > 0.95 * probes * probeEverySeconds) &&
      sends === cold + rounds.length * size + sum((hold) => hold.queued) &&
      sent === sends &&
      accepted === sends &&
      failed === 0,
  };
}

/** Of the whole span: the first one begins it, each other ends a pause. */
function averageOf(arrivals: number[]): number {
  return (1000 * (arrivals.length - 1)) / (Math.max(...arrivals) - Math.min(...arrivals));
}

/** How long the quickest took that would be one too many in a second. */
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

/** Throttled by the simulator's own words, which the attempt keeps. */
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
  if (row === undefined) throw new Error("a count is always one row");
  return row;
}
