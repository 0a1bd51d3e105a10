import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { maxNamedTags } from "../src/usage/named-tags.ts";
import { foldUsage } from "../src/usage/usage-chores.ts";
import { copyTemplate, openTestDatabase } from "../test/template-database.ts";
import { differencesOf } from "../test/usage-fixture.ts";
import { aSender, type ChurnSender } from "./usage/churn-senders.ts";
import { compareTotals, countRareCases, freeNames } from "./usage/compare-totals.ts";

const fullSize = 100_000;
const killsOf = (size: number) => (size < fullSize ? 4 : 20);
const processes = 3;
const accounts = 5;
const maxMs = 20 * 60_000;

export const proof: Proof = {
  promise:
    "After 100,000 mixed, duplicated and reordered events and 20 kills, usage, also that of tags beyond their cap, equals a rebuild from the record exactly",
  covers: [
    "service/migrations",
    "service/proofs/usage",
    "service/src/accept",
    "service/src/db",
    "service/src/feedback",
    "service/src/in-doubt",
    "service/src/queue",
    "service/src/usage",
  ],
  size: { small: 5_000, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const { url, drop } = await copyTemplate(serverUrl);
    const db = openTestDatabase(url);
    try {
      const senders = await Promise.all(
        Array.from({ length: accounts }, (_, index) =>
          aSender(db, { writesUnicode: index === 0, tags: index < 2 ? 100_000 : 40 }),
        ),
      );
      await prepare(db);
      const seed = Date.now() % 2 ** 31;
      const { reports, kills } = await churn(url, { size, seed, senders, progress });
      const unfolded = await differences(db, senders);
      await foldUsage(db, 60_000);
      const folded = await differences(db, senders);
      const totals = await compareTotals(db);
      const rare = await countRareCases(db);
      return {
        figure:
          `${reports} reports in ${processes} processes, of which ${kills} were killed with SIGKILL (seed ${seed}): ${totals.text}; ${rare.text}; ` +
          `counters that differ from the rebuild: ${unfolded} before the last fold, ${folded} after it`,
        holds: reports >= size && kills >= killsOf(size) && unfolded + folded === 0 && totals.isSame && rare.areAllMet,
      };
    } finally {
      await db.close();
      await drop();
    }
  },
};

async function prepare(db: Database): Promise<void> {
  await db.query({
    name: "lift-limits",
    text: `update accounts set limit_per_second = 100000, limit_per_10_seconds = 1000000, limit_per_minute = 6000000`,
  });
  await db.query({
    name: "workers-were-up",
    text: `update feedback_progress set workers_up_since = now() - interval '3 days'`,
  });
  await db.query({
    name: "take-names-of-tags",
    text: `
      insert into usage_tags (account_id, mode, month, tag)
      select id, mode, month, 'taken-' || n
      from accounts, unnest(array['live', 'test']) as mode,
        unnest(array[date_trunc('month', now(), 'UTC')::date, date_trunc('month', now() + interval '1 day', 'UTC')::date]) as month,
        generate_series(1, $1::integer) as n
      on conflict do nothing`,
    values: [maxNamedTags - freeNames],
  });
}

interface Churn {
  size: number;
  seed: number;
  senders: ChurnSender[];
  progress: ProofTools["progress"];
}

/** Runs the processes until they have applied all reports, and kills one after each share of them, at a random moment. */
async function churn(url: string, { size, seed, senders, progress }: Churn) {
  let [reports, kills, started] = [0, 0, 0];
  const endsAt = performance.now() + maxMs;
  const start = (): ChildProcess => {
    const args = [url, String(seed + started++), JSON.stringify(senders)];
    const child = fork(join(import.meta.dirname, "usage/churn-process.ts"), args);
    child.on("message", (count) => {
      reports += Number(count);
    });
    return child;
  };
  const running = Array.from({ length: processes }, start);
  try {
    while (reports < size || kills < killsOf(size)) {
      if (performance.now() > endsAt) throw new Error(`only ${reports} reports and ${kills} kills in time`);
      const failed = running.find(({ exitCode }) => exitCode !== null);
      if (failed !== undefined) throw new Error(`a process ended by itself with code ${failed.exitCode}`);
      await sleep(20 + Math.random() * 30);
      if (reports < ((kills + 0.5) * size) / killsOf(size)) continue;
      const victim = running.shift();
      if (victim !== undefined) await killed(victim);
      kills += 1;
      running.push(start());
      progress(`${reports} of ${size} reports, ${kills} kills`);
    }
  } finally {
    await Promise.all(running.map(killed));
  }
  return { reports, kills };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function differences(db: Database, senders: ChurnSender[]): Promise<number> {
  // A killed process leaves its last statement to the server, which ends it.
  await sleep(1_000);
  let found = 0;
  for (const { accountId } of senders) found += (await differencesOf(db, accountId)).length;
  return found;
}
