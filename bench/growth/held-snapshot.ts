import { setTimeout as sleep } from "node:timers/promises";
import { cpuSecondsOf } from "../../service/proofs/cpu-times.ts";
import type { Database } from "../../service/src/db/database.ts";
import { DeliveryLoop } from "../../service/src/delivery/delivery-loop.ts";
import { createLog } from "../../service/src/log.ts";
import { openSettlements } from "../../service/src/queue/settle-sends.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../service/test/delivery-fixture.ts";
import { connect, urlOf } from "./connections.ts";
import { withClient } from "./copy-rows.ts";
import type { LoadedDataset } from "./load-dataset.ts";
import { readMeter } from "./meter.ts";
import { openAcceptance } from "./new-sends.ts";
import { watchForAlarm } from "./snapshot-alarm.ts";

/** 200 sends per second. */
const acceptEveryMs = 50;
const acceptBatchSize = 10;
const minMeasureSeconds = 3;

export interface HeldFigures {
  /** Cost of claims per send: without the snapshot, and in the last tenth of its duration. */
  before: ClaimCost;
  atEnd: ClaimCost;
  /** From the start of the snapshot until a worker reported it; infinite when none did. */
  alarmAfterSeconds: number;
  isInStatus: boolean;
}

interface ClaimCost {
  /** CPU seconds per 1,000 sends. */
  cpu: number;
  touched: number;
}

/**
 * Runs sends through the worker's own loop while another session holds a snapshot, so that vacuum cannot remove the queue rows
 * that were claimed and settled. Claims use their own connection, so that their cost can be measured separately.
 */
export async function holdSnapshot(serverUrl: string, dataset: LoadedDataset, seconds: number): Promise<HeldFigures> {
  const url = urlOf(serverUrl, dataset);
  const [api, claims, rest] = [connect(url, "api"), connect(url, "worker"), connect(url, "worker")];
  let submitted = 0;
  const { provider } = aProviderThat(answers.accepted);
  const submit: typeof provider.submit = async () => ({
    ...answers.accepted,
    providerMessageId: `m-${submitted++}`,
  });
  const { deps } = aDeliveryFixture(rest, provider, { log: createLog("silent"), provider: { submit } });
  const loop = new DeliveryLoop({
    db: claims,
    mode: "live",
    slots: 100,
    maxBytes: 64_000_000,
    deps: { ...deps, settlements: openSettlements(rest) },
  });
  const accept = await openAcceptance(api, dataset);
  const flow = async (forSeconds: number) => {
    for (const endsAt = performance.now() + forSeconds * 1000; performance.now() < endsAt; ) {
      await accept(acceptBatchSize);
      loop.wake();
      await sleep(acceptEveryMs);
    }
  };
  const measureSeconds = Math.max(minMeasureSeconds, seconds / 10);
  const measure = () =>
    costOfClaims(
      claims,
      () => submitted,
      () => flow(measureSeconds),
    );
  loop.start();
  try {
    return await withClient(url, async (holder) => {
      await flow(measureSeconds);
      const before = await measure();
      await holder.query("begin isolation level repeatable read");
      const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid from provider_state");
      const alarm = watchForAlarm(rest, rows[0]?.pid ?? 0, seconds);
      await flow(seconds - measureSeconds);
      const atEnd = await measure();
      const alarmFigures = await alarm.stop();
      await holder.query("rollback");
      return { before, atEnd, ...alarmFigures };
    });
  } finally {
    await loop.stop();
    await Promise.all([api, claims, rest].map((each) => each.close()));
  }
}

async function costOfClaims(claims: Database, submitted: () => number, work: () => Promise<void>): Promise<ClaimCost> {
  const from = await readMeter(claims);
  const [cpu, already] = [cpuSecondsOf(from.pid), submitted()];
  await work();
  const to = await readMeter(claims);
  const sends = submitted() - already;
  return { cpu: ((cpuSecondsOf(to.pid) - cpu) / sends) * 1000, touched: (to.touched - from.touched) / sends };
}
