import type { ProofTools } from "../../../scripts/proof.ts";
import type { Environment } from "../../src/config.ts";
import { killProcess, untilRateIsKnown } from "../cell/feedback-cell.ts";
import type { SendingClient } from "../sends/sending-client.ts";
import { until } from "../until.ts";
import type { PooledCell } from "./pooled-cell.ts";
import { percentile, sendAtFullSpeed, sendPaced } from "./send-load.ts";

interface Speed {
  p50Ms: number;
  p99Ms: number;
  acceptedPerSecond: number;
  drainedPerSecond: number;
}

export interface SpeedSizes {
  rounds: number;
  paced: number;
  perSecond: number;
  fullSpeed: number;
}

export interface SpeedComparison {
  direct: Speed;
  pooled: Speed;
}

/** One API and one worker, in turn with PostgreSQL itself and through PgBouncer; the best of the rounds. */
export async function compareSpeed(
  cell: PooledCell,
  client: SendingClient,
  sizes: SpeedSizes,
  progress: ProofTools["progress"],
): Promise<SpeedComparison> {
  const direct: Speed[] = [];
  const pooled: Speed[] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    const measure = (name: string, environment: Environment) =>
      measureOne({ cell, client, environment, sizes, prefix: `${name}-${round}`, progress });
    direct.push(await measure("direct", cell.environment));
    pooled.push(await measure("pooled", cell.pooled));
  }
  return { direct: bestOf(direct), pooled: bestOf(pooled) };
}

async function measureOne({
  cell,
  client,
  environment,
  sizes,
  prefix,
  progress,
}: {
  cell: PooledCell;
  client: SendingClient;
  environment: Environment;
  sizes: SpeedSizes;
  prefix: string;
  progress: ProofTools["progress"];
}): Promise<Speed> {
  const processes = await Promise.all([cell.start("api", environment), cell.start("worker", environment)]);
  try {
    await untilRateIsKnown(cell);
    const options = { client, urls: [processes[0].url], senders: cell.senders, progress };
    // Prepares the statements, and lets the code be compiled.
    await sendAtFullSpeed({ ...options, prefix: `${prefix}-warm` }, Math.min(200, sizes.fullSpeed));
    await untilDrained(cell);
    const paced = await sendPaced({ ...options, prefix: `${prefix}-paced` }, sizes.paced, sizes.perSecond);
    await untilDrained(cell);
    const began = performance.now();
    const full = await sendAtFullSpeed({ ...options, prefix: `${prefix}-full` }, sizes.fullSpeed);
    await untilDrained(cell);
    return {
      p50Ms: percentile(paced.latenciesMs, 0.5),
      p99Ms: percentile(paced.latenciesMs, 0.99),
      acceptedPerSecond: sizes.fullSpeed / full.seconds,
      drainedPerSecond: sizes.fullSpeed / ((performance.now() - began) / 1000),
    };
  } finally {
    await Promise.all(processes.map(killProcess));
  }
}

export async function untilDrained({ db }: PooledCell, withinSeconds = 120): Promise<void> {
  await until("the queue is empty", withinSeconds, async () => {
    const [row] = await db.query<{ left: number }>({ name: "left", text: `select count(*) as left from send_queue` });
    return row?.left === 0;
  });
}

function bestOf(rounds: Speed[]): Speed {
  const of = (name: keyof Speed) => rounds.map((round) => round[name]);
  return {
    p50Ms: Math.min(...of("p50Ms")),
    p99Ms: Math.min(...of("p99Ms")),
    acceptedPerSecond: Math.max(...of("acceptedPerSecond")),
    drainedPerSecond: Math.max(...of("drainedPerSecond")),
  };
}
