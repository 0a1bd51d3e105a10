import { randomUUIDv7 } from "node:crypto";
import { createAcceptBatch } from "../../src/accept/accept-batch.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabaseClock } from "../../src/db/database-clock.ts";
import { claimSends } from "../../src/queue/claim-sends.ts";
import { markSent } from "../../src/queue/settle-sends.ts";
import { aCandidate } from "../../test/a-candidate.ts";
import { attemptOf } from "../../test/send-builders.ts";

const rounds = 15;
const sendsPerRound = 50;

export interface CostOfSends {
  accept: number;
  claim: number;
}

/** Blocks that PostgreSQL touches for a send, the median of some rounds. `db` has one connection, so that its counts are complete. */
export async function measureCost(
  db: Database,
  { accountId, domain }: { accountId: string; domain: string },
): Promise<CostOfSends> {
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  const costs: CostOfSends[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await blocksTouched(db);
    await Promise.all(
      Array.from({ length: sendsPerRound }, () =>
        decide(aCandidate({ id: randomUUIDv7(), accountId, domain, recipients: [`${randomUUIDv7()}@example.test`] })),
      ),
    );
    const accepted = await blocksTouched(db);
    const options = {
      mode: "live",
      maxSends: sendsPerRound,
      maxRecipients: sendsPerRound,
      fromFairAt: "-infinity",
    } as const;
    const { sends } = await claimSends(db, { ...options, isProbe: true });
    const claimed = await blocksTouched(db);
    if (sends.length !== sendsPerRound) throw new Error(`${sends.length} of ${sendsPerRound} sends were claimed`);
    await markSent(
      db,
      sends.map((send) => ({ ...attemptOf(send), outcome: "accepted", providerMessageId: send.id })),
    );
    costs.push({ accept: (accepted - before) / sendsPerRound, claim: (claimed - accepted) / sendsPerRound });
  }
  return { accept: median(costs.map(({ accept }) => accept)), claim: median(costs.map(({ claim }) => claim)) };
}

async function blocksTouched(db: Database): Promise<number> {
  await db.query({ name: "flush-statistics", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<{ blocks: number }>({
    name: "blocks-touched",
    text: `select (blks_hit + blks_read)::float8 as blocks from pg_stat_database where datname = current_database()`,
  });
  return row?.blocks ?? Number.NaN;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
