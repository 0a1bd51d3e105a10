import { setTimeout as sleep } from "node:timers/promises";
import { cpuSecondsOf } from "../../service/proofs/cpu-times.ts";
import type { Database } from "../../service/src/db/database.ts";
import { DeliveryLoop } from "../../service/src/delivery/delivery-loop.ts";
import { createLog } from "../../service/src/log.ts";
import { openSettlements } from "../../service/src/queue/settlement-batches.ts";
import { answers, aProviderThat, deliveryTestDeps } from "../../service/test/delivery-deps.ts";
import { connect, urlOf } from "./connections.ts";
import { withClient } from "./copy-rows.ts";
import type { LoadedWorld } from "./load-world.ts";
import { readMeter } from "./meter.ts";
import { openAcceptance } from "./new-sends.ts";
import { watchForAlarm } from "./snapshot-alarm.ts";

/** 200 a second. */
const acceptEveryMs = 50;
const acceptedAtOnce = 10;
const shortestLookSeconds = 3;

export interface HeldFigures {
  /** Of claims, for a send: without the snapshot, and in the last tenth of its time. */
  before: ClaimCost;
  atTheEnd: ClaimCost;
  /** From the snapshot on until a worker told of it; infinite when none did. */
  alarmAfterSeconds: number;
  isInStatus: boolean;
}

interface ClaimCost {
  /** Seconds for 1,000 sends. */
  cpu: number;
  touched: number;
}

/**
 * Sends flow through the worker's own loop while another session sits on a snapshot: nothing that was claimed and settled can
 * be cleaned up. Claims have a connection of their own, so that their cost can be told from that of the rest.
 */
export async function holdSnapshot(serverUrl: string, world: LoadedWorld, seconds: number): Promise<HeldFigures> {
  const url = urlOf(serverUrl, world);
  const [api, claims, rest] = [connect(url, "api"), connect(url, "worker"), connect(url, "worker")];
  let submitted = 0;
  const { provider } = aProviderThat(answers.accepted);
  const submit: typeof provider.submit = async () => ({
    ...answers.accepted,
    providerMessageId: `m-${submitted++}`,
  });
  const { deps } = deliveryTestDeps(rest, provider, { log: createLog("silent"), provider: { submit } });
  const loop = new DeliveryLoop({
    db: claims,
    mode: "live",
    slots: 100,
    deps: { ...deps, settlements: openSettlements(rest) },
  });
  const accept = await openAcceptance(api, world);
  const flow = async (forSeconds: number) => {
    for (const endsAt = performance.now() + forSeconds * 1000; performance.now() < endsAt; ) {
      await accept(acceptedAtOnce);
      loop.wake();
      await sleep(acceptEveryMs);
    }
  };
  const lookSeconds = Math.max(shortestLookSeconds, seconds / 10);
  const look = () =>
    costOfClaims(
      claims,
      () => submitted,
      () => flow(lookSeconds),
    );
  loop.start();
  try {
    return await withClient(url, async (forgetful) => {
      await flow(lookSeconds);
      const before = await look();
      await forgetful.query("begin isolation level repeatable read");
      const { rows } = await forgetful.query<{ pid: number }>("select pg_backend_pid() as pid from provider_state");
      const alarm = watchForAlarm(rest, rows[0]?.pid ?? 0, seconds);
      await flow(seconds - lookSeconds);
      const atTheEnd = await look();
      const told = await alarm.stop();
      await forgetful.query("rollback");
      return { before, atTheEnd, ...told };
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
