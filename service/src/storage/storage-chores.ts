import type { Database } from "../db/database.ts";
import { foldListChanges, listChanges } from "../db/list-counts.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { measureDatabase } from "./database-size.ts";
import { dropForgottenSends } from "./forgotten-sends.ts";
import { type HeldSnapshot, isHeldTooLong, listHeldSnapshots, terminationCommand } from "./held-snapshots.ts";
import { indexOldSends, newIndexSize } from "./index-old-sends.ts";
import { mergeSearchEntries, newMergeSize } from "./merge-search-entries.ts";
import { dropOldAttempts } from "./old-attempts.ts";
import { dropOldAudit } from "./old-audit.ts";
import { deleteExpiredViews } from "./old-content-views.ts";
import { dropOldContents } from "./old-contents.ts";
import { dropOldDelays } from "./old-delays.ts";
import { dropOldRecords } from "./old-records.ts";
import { dropOldRequests } from "./old-requests.ts";
import { dropOldWebhooks } from "./old-webhooks.ts";
import { inspectPartitions, makePartitionsAhead, minAheadSeconds, type PartitionSpan } from "./partitions.ts";
import type { StepSize } from "./search-steps.ts";
import { deleteUnlinkedAttachments } from "./unlinked-attachments.ts";

interface StorageDeps {
  db: Database;
  log: Log;
  partitionSpan: PartitionSpan;
  contentRetentionDays: number;
  auditRetentionDays: number;
  /** Undefined: the record is permanent. */
  recordRetentionDays?: number | undefined;
  /** The age from which a held snapshot is reported; five minutes by default. */
  heldTooLongSeconds?: number;
}

const hourSeconds = 3600;
const foldBatchSize = 5_000;
const deleteSize = 1_000;
const forgottenDeleteSize = 5_000;
const maxDeleteViewsMs = 60_000;
/** Requests whose attachments one statement deletes, up to 25 MiB each. */
const attachmentDeleteSize = 10;
const maxDeleteAttachmentsMs = 60_000;
const maxFoldMs = 60_000;
const maxDropAttemptsMs = 60_000;
const maxIndexMs = 60_000;
const maxMergeMs = 300_000;
const maxDropRecordsMs = 300_000;
const maxDropForgottenMs = 60_000;

/** Looks after the storage: partitions, retention, list counts, the index of searches, the size of the database and held snapshots. */
export function storageChores(deps: StorageDeps): Chore[] {
  const reported = new Set<string>();
  const [indexSize, mergeSize] = [newIndexSize(), newMergeSize()];
  return [
    { name: "make-partitions", pauseSeconds: hourSeconds, run: () => makePartitions(deps) },
    { name: "drop-old-contents", pauseSeconds: hourSeconds, run: () => dropContents(deps) },
    { name: "delete-expired-views", pauseSeconds: 600, run: () => deleteViews(deps) },
    { name: "delete-unlinked-attachments", pauseSeconds: 600, run: () => deleteAttachments(deps) },
    { name: "drop-old-audit", pauseSeconds: hourSeconds, run: () => dropAudit(deps) },
    { name: "drop-old-records", pauseSeconds: hourSeconds, run: () => dropRecords(deps) },
    { name: "drop-old-attempts", pauseSeconds: hourSeconds, run: () => dropAttempts(deps) },
    { name: "drop-old-webhooks", pauseSeconds: hourSeconds, run: () => dropWebhooks(deps) },
    { name: "drop-old-requests", pauseSeconds: hourSeconds, run: () => dropRequests(deps) },
    { name: "drop-forgotten-sends", pauseSeconds: hourSeconds, run: () => dropForgotten(deps) },
    {
      name: "fold-list-changes",
      pauseSeconds: 5,
      dueWhen: listChanges,
      run: () => foldChanges(deps),
    },
    { name: "index-old-sends", pauseSeconds: 10, run: () => indexSends(deps, indexSize) },
    { name: "merge-search-entries", pauseSeconds: hourSeconds, run: () => mergeEntries(deps, mergeSize) },
    { name: "measure-database", pauseSeconds: hourSeconds, run: () => measureDatabase(deps.db) },
    { name: "watch-snapshots", pauseSeconds: 60, run: () => watchSnapshots(deps, reported) },
  ];
}

async function makePartitions({ db, log, partitionSpan }: StorageDeps): Promise<void> {
  const { made, failures } = await makePartitionsAhead(db, partitionSpan);
  if (made.length > 0) log.info({ partitions: made }, "partitions.made");
  const errors = new Map(failures.map(({ table, error }) => [table, error]));
  for (const { table, attached, aheadSeconds, coversNow, isDefaultUsed } of await inspectPartitions(db)) {
    const facts = { table, attached, ahead_seconds: Math.round(aheadSeconds), covers_now: coversNow };
    const isBehind = errors.has(table) || !coversNow || aheadSeconds < minAheadSeconds;
    if (isBehind) log.warn({ ...facts, err: errors.get(table) }, "partitions.behind");
    if (isDefaultUsed) log.warn(facts, "partitions.default-used");
  }
}

async function dropContents({ db, log, contentRetentionDays }: StorageDeps): Promise<void> {
  const { partitions, rows, kept, forgotten, failure } = await dropOldContents(db, contentRetentionDays);
  const facts = { partitions, default_rows: rows, kept, kept_deleted: forgotten };
  if (partitions.length + rows + kept + forgotten > 0) log.info(facts, "contents.dropped");
  if (failure !== undefined) throw failure;
}

async function deleteViews({ db }: StorageDeps): Promise<void> {
  const endsAt = performance.now() + maxDeleteViewsMs;
  while (performance.now() < endsAt && (await deleteExpiredViews(db, deleteSize)) === deleteSize);
}

async function deleteAttachments({ db, log }: StorageDeps): Promise<void> {
  const endsAt = performance.now() + maxDeleteAttachmentsMs;
  let requests = 0;
  for (let last = attachmentDeleteSize; last === attachmentDeleteSize && performance.now() < endsAt; requests += last)
    last = await deleteUnlinkedAttachments(db, attachmentDeleteSize);
  if (requests > 0) log.info({ requests }, "attachments.unlinked-deleted");
}

async function dropAudit({ db, log, auditRetentionDays }: StorageDeps): Promise<void> {
  const partitions = await dropOldAudit(db, auditRetentionDays);
  if (partitions.length > 0) log.info({ partitions }, "audit.dropped");
}

async function dropRecords({ db, log, recordRetentionDays }: StorageDeps): Promise<void> {
  const { partitions, ...rows } = await dropOldRecords(db, recordRetentionDays, maxDropRecordsMs);
  if (Object.values(rows).some((count) => count > 0) || partitions.length > 0)
    log.info({ ...rows, partitions }, "records.dropped");
}

async function dropAttempts({ db, log }: StorageDeps): Promise<void> {
  const rows = await dropOldAttempts(db, maxDropAttemptsMs);
  const delays = await dropOldDelays(db, maxDropAttemptsMs);
  if (rows + delays > 0) log.info({ rows, delays }, "attempts.dropped");
}

async function dropWebhooks({ db, log }: StorageDeps): Promise<void> {
  const partitions = await dropOldWebhooks(db);
  if (partitions.length > 0) log.info({ partitions }, "webhooks.dropped");
}

async function dropRequests({ db, log }: StorageDeps): Promise<void> {
  const partitions = await dropOldRequests(db);
  if (partitions.length > 0) log.info({ partitions }, "requests.dropped");
}

/** Stops after a minute; the next run continues. */
async function dropForgotten({ db, log }: StorageDeps): Promise<void> {
  const endsAt = performance.now() + maxDropForgottenMs;
  let sends = 0;
  for (let last = forgottenDeleteSize; last === forgottenDeleteSize && performance.now() < endsAt; sends += last)
    last = await dropForgottenSends(db, forgottenDeleteSize);
  if (sends > 0) log.info({ sends }, "forgotten-sends.dropped");
}

/** Folds until few changes are left. Stops after a minute, long before the chore's 10-minute limit. */
async function foldChanges({ db }: StorageDeps): Promise<void> {
  // crash point: before-fold
  const endsAt = performance.now() + maxFoldMs;
  while (performance.now() < endsAt && (await foldListChanges(db, foldBatchSize)) === foldBatchSize);
}

async function indexSends({ db, log }: StorageDeps, size: StepSize): Promise<void> {
  const sends = await indexOldSends(db, maxIndexMs, size);
  if (sends > 0) log.info({ sends }, "sends.indexed");
}

/** Several minutes of an hour are enough to merge the entries of 100 sends a second. */
async function mergeEntries({ db, log }: StorageDeps, size: StepSize): Promise<void> {
  const entries = await mergeSearchEntries(db, maxMergeMs, undefined, size);
  if (entries > 0) log.info({ entries }, "searches.merged");
}

/** Logs each snapshot that is held too long, once per process. */
async function watchSnapshots({ db, log, heldTooLongSeconds }: StorageDeps, reported: Set<string>): Promise<void> {
  const held = (await listHeldSnapshots(db)).filter((snapshot) => isHeldTooLong(snapshot, heldTooLongSeconds));
  const keys = new Set(held.map(keyOf));
  for (const snapshot of held.filter((one) => !reported.has(keyOf(one)))) {
    const { holder, name, pid, heldSeconds, transactions } = snapshot;
    const seconds = heldSeconds === null ? undefined : Math.round(heldSeconds);
    const facts = { holder, name, pid, held_seconds: seconds, transactions, run: terminationCommand(snapshot) };
    log.warn(facts, "storage.snapshot-held");
  }
  reported.clear();
  for (const key of keys) reported.add(key);
}

function keyOf({ holder, name, pid }: HeldSnapshot): string {
  return `${holder} ${pid} ${name}`;
}
