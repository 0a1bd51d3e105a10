import { loadEnvironment, readDatabaseConfig } from "../config.ts";
import { contract } from "../db/contract.ts";
import { createDatabaseIfMissing } from "../db/create-database.ts";
import { openDatabase } from "../db/database.ts";
import { isLockTimeout, type Progress, untilLocked } from "../db/lock-retries.ts";
import { asMigrator, migrate, migrateName } from "../db/migrate.ts";
import { requireDirect } from "../db/pooler/require-usable-pooler.ts";
import { storeRoleSettings } from "../db/pooler/role-settings.ts";
import { AppError } from "../errors.ts";
import { say } from "../plain-text.ts";
import { makePartitionsAhead, type PartitionSpan } from "../storage/partitions.ts";

/** Removes what older versions need, after all processes run this one. */
export async function runContract(): Promise<void> {
  const { database } = readDatabaseConfig(loadEnvironment());
  const applied = await contract(database.directUrl, say);
  say(applied.length === 0 ? "There is no contract step to run. Nothing was changed." : "The contract steps have run.");
}

export async function runMigrate({ createDatabase }: { createDatabase: boolean }): Promise<void> {
  const { database, partitionSpan } = readDatabaseConfig(loadEnvironment());
  if (createDatabase) {
    const created = await createDatabaseIfMissing(database.directUrl);
    if (created !== undefined) say(`created the database ${created}`);
  }
  await requireDirect(database);
  // Before the steps: a process that waits for the last one checks the settings next.
  if (database.directUrl !== database.url) await storeRoleSettings(database.directUrl);
  const applied = await migrate(database.directUrl, say);
  await makeFirstPartitions(database.directUrl, partitionSpan, say);
  say(applied.length === 0 ? "The schema is up to date." : "The schema is now up to date.");
}

/** Partitions for the next months, which no step of the schema makes. */
async function makeFirstPartitions(url: string, span: PartitionSpan, report: Progress): Promise<void> {
  await asMigrator(url, report, async ({ observer }) => {
    const partitions = { what: "new partitions", observer, waiting: migrateName, report };
    await untilLocked(partitions, () => createPartitions(url, span));
  });
}

/** A worker creates partitions every hour; this call creates the first ones of a new database. */
async function createPartitions(url: string, span: PartitionSpan): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, applicationName: "postern-migrate", onIdleError: () => undefined });
  try {
    const { failures } = await makePartitionsAhead(db, span);
    if (failures.length === 0) return;
    const blocked = failures.find(({ error }) => isLockTimeout(error));
    if (blocked !== undefined) throw blocked.error;
    const reasons = failures.map(
      ({ table, error }) => `  - ${table}: ${error instanceof Error ? error.message : String(error)}`,
    );
    const message = `Postern could not create partitions. Solve the problem, then run \`postern migrate\` again:\n${reasons.join("\n")}`;
    throw new AppError("UNAVAILABLE", message);
  } finally {
    await db.close();
  }
}
