import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { foldUsage } from "../src/usage/usage-chores.ts";
import { findHits } from "../test/address-hits.ts";
import { copyTemplate, openTestDatabase } from "../test/template-database.ts";
import { anEnvironment } from "../test/test-config.ts";
import { differencesOf } from "../test/usage-fixture.ts";
import { makeDataset } from "./erasure/erasure-dataset.ts";
import { runCell } from "./erasure/running-cell.ts";
import { createDice, type Dice } from "./seeded-random.ts";

const fullSize = 50_000;
const killsOf = (size: number) => (size < fullSize ? 5 : 40);
const addressesOf = (size: number) => (size < fullSize ? 4 : 20);

export const proof: Proof = {
  promise:
    "Erasing 20 addresses with 40 kills, while the provider reports about their mail, leaves no row with them outside the suppression lists, and all totals equal a recount",
  covers: [
    "service/migrations",
    "service/proofs/erasure",
    "service/src/data-rights",
    "service/src/feedback",
    "service/src/queue",
    "service/src/webhooks",
  ],
  size: { small: 1_500, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const { url, drop } = await copyTemplate(serverUrl);
    const db = openTestDatabase(url);
    try {
      const seed = Date.now() % 2 ** 31;
      const dice = createDice(seed);
      const data = await makeDataset(db, url, { size, addresses: addressesOf(size), seed });
      const before = await countRecord(db);
      const places = await placesOf(db, data.addresses);
      let isOver = false;
      const cell = runCell(db, data, dice, () => isOver);
      const erasing = eraseAll(url, data.addresses, { kills: killsOf(size), dice, progress }).finally(() => {
        isOver = true;
      });
      const [kills, { reports }] = await Promise.all([erasing, cell]);
      const left = await placesOf(db, data.addresses);
      await foldUsage(db, 60_000);
      const differences = (await Promise.all(data.senders.map(({ accountId }) => differencesOf(db, accountId)))).flat();
      const after = await countRecord(db);
      const others = Object.keys(left).filter((place) => place !== "suppressions.email");
      return {
        figure:
          `${data.addresses.length} addresses in ${Object.keys(places).length} columns, ${sumOf(places)} rows; ${kills} kills with SIGKILL, ` +
          `${reports} reports about their mail meanwhile (seed ${seed}): rows with an erased address outside the suppression lists: ` +
          `${others.length === 0 ? 0 : JSON.stringify(left)}; sends ${before.sends} before and ${after.sends} after; ` +
          `events ${after.events}, ${after.listed} by the totals of the list; counters that differ from a recount: ${differences.length}`,
        holds:
          others.length === 0 &&
          kills >= killsOf(size) &&
          Object.keys(places).length > 25 &&
          before.sends === after.sends &&
          before.recipients === after.recipients &&
          after.events === after.listed &&
          differences.length === 0,
      };
    } finally {
      await db.close();
      await drop();
    }
  },
};

interface Totals {
  sends: number;
  events: number;
  /** By the counters behind `GET /events`. */
  listed: number;
  recipients: number;
}

async function countRecord(db: Database): Promise<Totals> {
  const [row] = await db.query<Totals>({
    name: "count-record",
    text: `
      select (select count(*) from sends) as sends, (select count(*) from events) as events,
        (select coalesce(sum(count), 0) from list_counts where list <> 'suppressions')::bigint
          + (select coalesce(sum(difference), 0) from list_changes where list <> 'suppressions')::bigint as listed,
        (select sum(cardinality(to_addresses)) from sends)::bigint as recipients`,
  });
  if (row === undefined) throw new Error("nothing was counted");
  return row;
}

async function placesOf(db: Database, addresses: string[]): Promise<{ [place: string]: number }> {
  const places: { [place: string]: number } = {};
  for (const address of addresses) {
    for (const [place, rows] of Object.entries(await findHits(db, address)))
      places[place] = (places[place] ?? 0) + rows;
  }
  return places;
}

const sumOf = (places: { [place: string]: number }) => Object.values(places).reduce((sum, rows) => sum + rows, 0);

interface Erasing {
  kills: number;
  dice: Dice;
  progress: ProofTools["progress"];
}

/** Starts the command again after each kill. A kill comes at a random step, and a few milliseconds into it. */
async function eraseAll(url: string, addresses: string[], { kills, dice, progress }: Erasing): Promise<number> {
  const left = new Set(addresses);
  const contentKey = anEnvironment().CONTENT_KEY ?? "";
  let killed = 0;
  while (left.size > 0) {
    const child = fork(join(import.meta.dirname, "erasure/erase-process.ts"), [
      url,
      contentKey,
      JSON.stringify([...left]),
    ]);
    const exited = once(child, "exit");
    let steps = killed < kills ? 1 + dice.roll(25) : Number.POSITIVE_INFINITY;
    child.on("message", ({ erased }: { erased?: string }) => {
      if (erased !== undefined) left.delete(erased);
      steps -= 1;
      if (steps === 0) void killLater(child, dice.roll(30));
    });
    const [code, signal] = await exited;
    if (signal === "SIGKILL") killed += 1;
    else if (code !== 0) throw new Error(`the erasure ended with code ${String(code)}`);
    progress(`${addresses.length - left.size} of ${addresses.length} addresses, ${killed} kills`);
  }
  return killed;
}

async function killLater(child: ChildProcess, ms: number): Promise<void> {
  await sleep(ms);
  child.kill("SIGKILL");
}
