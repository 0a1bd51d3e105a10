import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { AppError } from "../errors.ts";
import { durationText } from "../plain-text.ts";
import type { Progress } from "./lock-retries.ts";

const migrationLock = 7_205_759_403;
const tryEveryMs = 500;
const reportEveryMs = 10_000;
/** Building an index of a large table takes long. */
const withinMs = 4 * 3600_000;

/**
 * One migration at a time. It asks again and again instead of waiting inside PostgreSQL: a waiting statement would hold a snapshot, for
 * which the other migration would wait when it builds an index concurrently.
 */
export async function waitForOtherMigration(client: pg.Client, report: Progress): Promise<void> {
  const startedAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const { rows } = await client.query<{ got: boolean }>("select pg_try_advisory_lock($1) as got", [migrationLock]);
    if (rows[0]?.got === true) return;
    const now = performance.now();
    const seconds = (now - startedAt) / 1000;
    if (now - startedAt > withinMs) throw otherStillRuns(seconds, await otherMigration(client));
    if (now - reportedAt > reportEveryMs) {
      reportedAt = now;
      report(
        `another \`postern migrate\` is running${await otherMigration(client)}; waiting for it (${durationText(seconds)})`,
      );
    }
    await sleep(tryEveryMs);
  }
}

function otherStillRuns(seconds: number, other: string): AppError {
  return new AppError(
    "UNAVAILABLE",
    `Another \`postern migrate\`${other} has been running for more than ${durationText(seconds)}. Look at its output, then run this command again.`,
  );
}

async function otherMigration(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; seconds: number }>(
    `select l.pid, extract(epoch from clock_timestamp() - a.backend_start)::float8 as seconds
     from pg_locks l
     join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [migrationLock],
  );
  const [other] = rows;
  return other === undefined ? "" : ` (pid ${other.pid}, started ${durationText(other.seconds)} ago)`;
}
