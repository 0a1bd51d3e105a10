import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as AcceptBatch from "../../service/src/accept/accept-batch.ts";
import type * as DatabaseFile from "../../service/src/db/database.ts";
import type * as DatabaseClockFile from "../../service/src/db/database-clock.ts";
import type * as Migrate from "../../service/src/db/migrate.ts";
import type * as ApplyFeedback from "../../service/src/feedback/apply-feedback.ts";
import type * as ClaimSends from "../../service/src/queue/claim-sends.ts";
import type * as Pacing from "../../service/src/queue/pacing.ts";
import type * as ScanStartFile from "../../service/src/queue/scan-start.ts";
import type * as SettleSends from "../../service/src/queue/settle-sends.ts";
import type * as Partitions from "../../service/src/storage/partitions.ts";

export type Tree = Awaited<ReturnType<typeof importTree>>;

/**
 * The functions of one checkout, from its own files. The types are those of this checkout: an older one must accept the same arguments,
 * and ignores fields that it does not know. Checkouts from before the layout of November 2026 cannot be measured.
 */
export async function importTree(folder: string) {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(join(resolve(folder), "service/src", file)).href);
  const { createAcceptBatch } = (await load("accept/accept-batch.ts")) as typeof AcceptBatch;
  const { openDatabase } = (await load("db/database.ts")) as typeof DatabaseFile;
  const { openDatabaseClock } = (await load("db/database-clock.ts")) as typeof DatabaseClockFile;
  const { migrate } = (await load("db/migrate.ts")) as typeof Migrate;
  const { applyFeedback } = (await load("feedback/apply-feedback.ts")) as typeof ApplyFeedback;
  const { claimSends } = (await load("queue/claim-sends.ts")) as typeof ClaimSends;
  const { reserve } = (await load("queue/pacing.ts")) as typeof Pacing;
  const { ScanStart } = (await load("queue/scan-start.ts")) as typeof ScanStartFile;
  const { markSent } = (await load("queue/settle-sends.ts")) as typeof SettleSends;
  const { makePartitionsAhead } = (await load("storage/partitions.ts")) as typeof Partitions;
  return {
    createAcceptBatch,
    openDatabase,
    openDatabaseClock,
    migrate,
    applyFeedback,
    claimSends,
    reserve,
    ScanStart,
    markSent,
    makePartitionsAhead,
  };
}
