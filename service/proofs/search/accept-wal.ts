import { createAcceptBatch } from "../../src/accept/accept-batch.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { openDatabaseClock } from "../../src/db/database-clock.ts";
import { newSendId } from "../../src/sends/send-id.ts";
import { aCandidate } from "../../test/a-candidate.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "./numbered-sends.ts";

export interface AcceptWal {
  what: string;
  recipients: number;
  /** WAL bytes per accept without the search entries, and with them. */
  before: number;
  after: number;
}

interface Kind {
  what: string;
  together: number;
  recipients: number;
}

const kinds: Kind[] = [
  { what: "alone", together: 1, recipients: 1 },
  { what: "in batches of 50", together: 50, recipients: 1 },
  { what: "alone with 50 recipients", together: 1, recipients: 50 },
];
/** With the default of five minutes between checkpoints, a bucket of 17 minutes sees about as many of them as a kind has rounds. */
const rounds = 4;
const sealedBytes = 2_000;

/**
 * WAL bytes of one connection that accepts sends of 2 KB, with and without the trigger that writes search entries, in turns. With
 * `checkpoints` every round begins after one, so pages that PostgreSQL writes in full are part of it. Undefined before PostgreSQL 18, which counts
 * per connection.
 */
export async function measureAcceptWal(
  owner: Database,
  url: string,
  { accepts, checkpoints }: { accepts: number; checkpoints: boolean },
): Promise<AcceptWal[] | undefined> {
  const [version] = await owner.query<{ counts: boolean }>({
    name: "counts-wal",
    text: `select to_regprocedure('pg_stat_get_backend_wal(integer)') is not null as counts`,
  });
  if (version?.counts !== true) return undefined;
  const db = openDatabase({ url, poolSize: 1, applicationName: "accept", onIdleError: () => undefined });
  try {
    const accept = await prepareAccept(owner, db);
    const measured: AcceptWal[] = [];
    for (const kind of kinds) {
      const bytes = { disable: 0, enable: 0 };
      const perRound = Math.ceil(accepts / rounds / kind.recipients / kind.together) * kind.together;
      await accept(kind, kind.together);
      // Each kind begins with an empty bucket. In a large table, vacuum leaves index entries of few dead rows in place unless it is told not to.
      await change(owner, "delete from send_searches where send_id >= first_id_at(now() - interval '20 minutes')");
      await change(owner, "vacuum (index_cleanup on) send_searches");
      for (let round = 0; round < rounds; round++) {
        for (const state of round % 2 === 0 ? (["disable", "enable"] as const) : (["enable", "disable"] as const)) {
          await change(owner, `alter table sends ${state} trigger sends_indexed`);
          if (checkpoints) await change(owner, "checkpoint");
          const start = await walBytesOf(db);
          await accept(kind, perRound);
          bytes[state] += (await walBytesOf(db)) - start;
        }
      }
      const units = perRound * rounds;
      measured.push({
        what: kind.what,
        recipients: kind.recipients,
        before: bytes.disable / units,
        after: bytes.enable / units,
      });
    }
    return measured;
  } finally {
    await db.close();
  }
}

async function prepareAccept(owner: Database, db: Database) {
  const accountId = await anAccount(owner);
  await aVerifiedDomain(owner, accountId, "accept.test");
  await owner.query({
    name: "no-rate-limit",
    text: `update accounts set limit_per_second = 1000000, limit_per_10_seconds = 1000000, limit_per_minute = 1000000 where id = $1`,
    values: [accountId],
  });
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  let number = 0;
  return async ({ together, recipients }: Kind, count: number): Promise<void> => {
    for (let accepted = 0; accepted < count; accepted += together) {
      const candidates = Array.from({ length: together }, () => {
        const to = Array.from({ length: recipients }, () => `jane.${(number++).toString(16)}@example.com`);
        const send = { id: newSendId(clock.now()), accountId, domain: "accept.test", recipients: to };
        return aCandidate({ ...send, sealed: Buffer.alloc(sealedBytes, 7) });
      });
      const decisions = await Promise.all(candidates.map(decide));
      const refused = decisions.find(({ kind }) => kind !== "stored");
      if (refused !== undefined) throw new Error(`a send was answered with ${refused.kind}`);
    }
  };
}

async function walBytesOf(db: Database): Promise<number> {
  // A backend reports its counters at most once per second unless it is forced to.
  await change(db, "select pg_stat_force_next_flush()");
  const [row] = await db.query<{ bytes: number }>({
    name: "wal-bytes",
    text: `select wal_bytes::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`,
  });
  return row?.bytes ?? Number.NaN;
}
