import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { findDeletion } from "../src/data-rights/deletion-store.ts";
import type { Database } from "../src/db/database.ts";
import { foldUsage } from "../src/usage/usage-chores.ts";
import { copyTemplate, openTestDatabase } from "../test/template-database.ts";
import { differencesOf } from "../test/usage-fixture.ts";
import { endMail } from "./deletion/end-mail.ts";
import { makeDataset } from "./erasure/erasure-dataset.ts";
import { runCell } from "./erasure/running-cell.ts";
import { createDice, type Dice } from "./seeded-random.ts";

const fullSize = 50_000;
const killsOf = (size: number) => (size < fullSize ? 4 : 20);
/** The purge of a small account takes about 20 times as long. */
const stepMs = 5;
/** What outlives an account: that it was deleted, and what workers still have to remove at SES. */
const outliving = ["account_deletions", "tenant_removals"];

export const proof: Proof = {
  promise:
    "Deleting an account with 20 kills, while the provider reports about its mail, leaves none of its rows and nothing in quarantine, and the totals of the other accounts equal a recount",
  covers: [
    "service/migrations",
    "service/proofs/deletion",
    "service/proofs/erasure",
    "service/src/data-rights",
    "service/src/feedback",
    "service/src/usage",
  ],
  size: { small: 1_500, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const { url, drop } = await copyTemplate(serverUrl);
    const db = openTestDatabase(url);
    try {
      const seed = Date.now() % 2 ** 31;
      const dice = createDice(seed);
      const { senders, ledger } = await makeDataset(db, url, { size, addresses: 1, seed });
      const [deleted = "", ...others] = senders.map(({ accountId }) => accountId);
      await endMail(db, deleted);
      const before = await rowsOf(db, deleted);
      const sends = await sendsOf(db, others);
      let isOver = false;
      const addresses = [...new Set(ledger.flatMap(({ recipients }) => recipients))];
      const cell = runCell(db, { ledger, addresses }, dice, () => isOver);
      const purging = purge(url, db, deleted, { kills: killsOf(size), dice, progress }).finally(() => {
        isOver = true;
      });
      const [kills, { reports, unknown }] = await Promise.all([purging, cell]);
      await foldUsage(db, 60_000);
      const left = Object.entries(await rowsOf(db, deleted)).filter(([table]) => !outliving.includes(table));
      const differences = (await Promise.all(others.map((accountId) => differencesOf(db, accountId)))).flat();
      const { events, listed, parts } = await countOthers(db);
      return {
        figure:
          `an account with ${before.sends} sends and rows in ${Object.keys(before).length} tables, ${kills} kills with SIGKILL, ${reports} reports ` +
          `meanwhile (seed ${seed}): rows left: ${left.length === 0 ? 0 : JSON.stringify(left)}, orphaned rows of its sends: ${parts}; reports to ` +
          `quarantine: ${unknown}; sends of others ${sends} before and ${await sendsOf(db, others)} after; events ${events}, ${listed} by the totals ` +
          `of the list; counters of others that differ from a recount: ${differences.length}`,
        holds:
          left.length === 0 &&
          parts === 0 &&
          unknown === 0 &&
          kills >= killsOf(size) &&
          Object.keys(before).length > 10 &&
          sends === (await sendsOf(db, others)) &&
          events === listed &&
          differences.length === 0,
      };
    } finally {
      await db.close();
      await drop();
    }
  },
};

/** The number of rows in each table that has some of the account. */
async function rowsOf(db: Database, accountId: string): Promise<Record<string, number>> {
  const tables = await db.query<{ name: string }>({
    name: "tables-of-accounts",
    text: `
      select c.relname as name
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      where a.attname = 'account_id'
        and c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p')
        and not c.relispartition`,
  });
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.query<{ rows: number }>({
      name: `rows-of-${name}`,
      text: `select count(*) as rows from ${name} where account_id = $1`,
      values: [accountId],
    });
    if (row !== undefined && row.rows > 0) counts[name] = row.rows;
  }
  return counts;
}

async function sendsOf(db: Database, accountIds: string[]): Promise<number> {
  const [row] = await db.query<{ sends: number }>({
    name: "sends-of-others",
    text: "select count(*) as sends from sends where account_id = any ($1::uuid[])",
    values: [accountIds],
  });
  return row?.sends ?? 0;
}

/** `parts`: contents, attempts, delays, events and search entries without a send. */
async function countOthers(db: Database) {
  const [row] = await db.query<{ events: number; listed: number; parts: number }>({
    name: "count-others",
    text: `
      select (select count(*) from events) as events,
        (select coalesce(sum(count), 0) from list_counts where list <> 'suppressions')::bigint
          + (select coalesce(sum(difference), 0) from list_changes where list <> 'suppressions')::bigint as listed,
        (
          select count(*)
          from (
            select id from send_contents
            union all select send_id from send_attempts
            union all select send_id from delivery_delays
            union all select send_id from events
            union all select send_id from send_searches
          ) as part (send_id)
          where not exists (select from sends s where s.id = part.send_id)
        ) as parts`,
  });
  return row ?? { events: 0, listed: 0, parts: 0 };
}

interface Purging {
  kills: number;
  dice: Dice;
  progress: ProofTools["progress"];
}

/**
 * Starts the command again after each kill. A kill comes while it starts, or at the latest a few milliseconds into its first step, so that a
 * fast machine does not finish before it.
 */
async function purge(
  url: string,
  db: Database,
  accountId: string,
  { kills, dice, progress }: Purging,
): Promise<number> {
  let killed = 0;
  while ((await findDeletion(db, accountId))?.finishedAt === null) {
    const child = fork(join(import.meta.dirname, "deletion/purge-process.ts"), [url, accountId]);
    const exited = once(child, "exit");
    const killWithin = (ms: number) => sleep(dice.roll(ms)).then(() => child.kill("SIGKILL"));
    if (killed < kills) {
      if (dice.roll(3) !== 0) void killWithin(400);
      child.once("message", () => void killWithin(stepMs));
    }
    const [code, signal] = await exited;
    if (signal === "SIGKILL") killed += 1;
    else if (code !== 0) throw new Error(`the purge ended with code ${String(code)}`);
    progress(`${killed} kills`);
  }
  return killed;
}
