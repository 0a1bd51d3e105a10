import { setTimeout as sleep } from "node:timers/promises";
import type { SesSimulator } from "@postern/ses-simulator";
import type { ProofTools } from "../../../scripts/proof.ts";
import type { Database } from "../../src/db/database.ts";
import type { Secret } from "../../src/secret.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";
import type { SubmitProxy } from "../proxies/submit-proxy.ts";
import { queueSends } from "../sends/queued-sends.ts";

export const fromDomain = "shop.test";
export const fullSize = 800;
const timeoutMs = 180_000;

/** Workers, the provider they submit to, and a queue to fill. */
export interface PacingFixture {
  size: number;
  simulator: SesSimulator;
  proxy: SubmitProxy;
  db: Database;
  processes: PosternProcess[];
  accountId: string;
  contentKey: Secret;
  progress: ProofTools["progress"];
}

export function isFull({ size }: PacingFixture): boolean {
  return size === fullSize;
}

export async function until({ progress }: PacingFixture, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await isSo())) {
    const waitedMs = performance.now() - started;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    progress(`waiting for: ${what}, ${Math.round(waitedMs / 1000)} s`);
    await sleep(20);
  }
}

export async function untilDrained(fixture: PacingFixture): Promise<void> {
  await until(fixture, "the queue is empty", async () => {
    const [row] = await fixture.db.query<{ left: number }>({
      name: "count-left",
      text: `select count(*) as left from send_queue`,
    });
    return row?.left === 0;
  });
}

export function queue({ db, accountId, contentKey }: PacingFixture, count: number): Promise<string[]> {
  return queueSends(db, { accountId, fromDomain, count, contentKey });
}

export async function readState(db: Database): Promise<{ maxPerSecond: number | null; hold: string | null }> {
  const [row] = await db.query<{ maxPerSecond: number | null; hold: string | null }>({
    name: "read-state",
    text: `select max_per_second as "maxPerSecond", hold_reason as hold from provider_state where mode = 'live'`,
  });
  return row ?? { maxPerSecond: null, hold: null };
}
