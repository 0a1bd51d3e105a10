import type { Queryable } from "../db/database.ts";
import { foldListChanges } from "../db/list-counts.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { endingOf, type HeldSnapshot, isHeldTooLong, listHeldSnapshots } from "./held-snapshots.ts";
import { dropOldContents } from "./old-contents.ts";
import { enoughAheadSeconds, inspectPartitions, makePartitionsAhead, type PartitionSpan } from "./partitions.ts";

interface StorageDeps {
  db: Queryable;
  log: Log;
  partitionSpan: PartitionSpan;
  contentRetentionDays: number;
  /** Of a snapshot that keeps vacuum from cleaning up; five minutes unless said. */
  heldTooLongSeconds?: number;
}

const hourSeconds = 3600;
const foldedAtOnce = 5_000;
const longestFoldMs = 60_000;

/** What keeps a place ready for what comes, lets go of content whose time is over, and keeps lists quick to count. */
export function storageChores(deps: StorageDeps): Chore[] {
  const told = new Set<string>();
  return [
    { name: "make-partitions", pauseSeconds: hourSeconds, run: () => makePartitions(deps) },
    { name: "drop-old-contents", pauseSeconds: hourSeconds, run: () => dropContents(deps) },
    { name: "fold-list-changes", pauseSeconds: 5, run: () => foldChanges(deps) },
    { name: "watch-snapshots", pauseSeconds: 60, run: () => watchSnapshots(deps, told) },
  ];
}

async function makePartitions({ db, log, partitionSpan }: StorageDeps): Promise<void> {
  const { made, failures } = await makePartitionsAhead(db, partitionSpan);
  if (made.length > 0) log.info({ partitions: made }, "partitions.made");
  const errors = new Map(failures.map(({ table, error }) => [table, error]));
  for (const { table, attached, aheadSeconds, coversNow, isDefaultUsed } of await inspectPartitions(db)) {
    const facts = { table, attached, ahead_seconds: Math.round(aheadSeconds), covers_now: coversNow };
    const isBehind = errors.has(table) || !coversNow || aheadSeconds < enoughAheadSeconds;
    if (isBehind) log.warn({ ...facts, err: errors.get(table) }, "partitions.behind");
    if (isDefaultUsed) log.warn(facts, "partitions.default-used");
  }
}

async function dropContents({ db, log, contentRetentionDays }: StorageDeps): Promise<void> {
  const { partitions, rows, failure } = await dropOldContents(db, contentRetentionDays);
  if (partitions.length > 0 || rows > 0) log.info({ partitions, default_rows: rows }, "contents.dropped");
  if (failure !== undefined) throw failure;
}

/** Until there are few; a run ends long before it would be taken for dead. */
async function foldChanges({ db }: StorageDeps): Promise<void> {
  // crash point: before-fold
  const endsAt = performance.now() + longestFoldMs;
  while (performance.now() < endsAt && (await foldListChanges(db, foldedAtOnce)) === foldedAtOnce);
}

/** Tells of each that is held too long, once in this process. */
async function watchSnapshots({ db, log, heldTooLongSeconds }: StorageDeps, told: Set<string>): Promise<void> {
  const held = (await listHeldSnapshots(db)).filter((snapshot) => isHeldTooLong(snapshot, heldTooLongSeconds));
  const keys = new Set(held.map(keyOf));
  for (const snapshot of held.filter((one) => !told.has(keyOf(one)))) {
    const { holder, name, pid, heldSeconds, transactions } = snapshot;
    const seconds = heldSeconds === null ? undefined : Math.round(heldSeconds);
    const facts = { holder, name, pid, held_seconds: seconds, transactions, run: endingOf(snapshot) };
    log.warn(facts, "storage.snapshot-held");
  }
  told.clear();
  for (const key of keys) told.add(key);
}

function keyOf({ holder, name, pid }: HeldSnapshot): string {
  return `${holder} ${pid} ${name}`;
}
