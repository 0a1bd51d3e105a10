import { loadEnvironment, readDatabaseConfig } from "../config.ts";
import { createDatabaseIfMissing } from "../db/create-database.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { AppError } from "../errors.ts";
import { migrateChores } from "../loops/chores.ts";
import { say } from "../plain-text.ts";
import { makePartitionsAhead, type PartitionSpan } from "../storage/partitions.ts";

export async function runMigrate({ createDatabase }: { createDatabase: boolean }): Promise<void> {
  const { database, partitionSpan } = readDatabaseConfig(loadEnvironment());
  if (createDatabase) {
    const created = await createDatabaseIfMissing(database.directUrl);
    if (created !== undefined) say(`created the database ${created}`);
  }
  const applied = await migrate(database.directUrl, (message) => process.stderr.write(`${message}\n`));
  await migrateChores(database.directUrl);
  await createPartitions(database.directUrl, partitionSpan);
  for (const name of applied) say(`applied ${name}`);
  say(applied.length === 0 ? "The schema is up to date." : "The schema is now up to date.");
}

/** A worker creates partitions every hour; this call creates the first ones of a new database. */
async function createPartitions(url: string, span: PartitionSpan): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, applicationName: "postern-migrate", onIdleError: () => undefined });
  try {
    const { failures } = await makePartitionsAhead(db, span);
    if (failures.length === 0) return;
    const reasons = failures.map(
      ({ table, error }) => `  - ${table}: ${error instanceof Error ? error.message : String(error)}`,
    );
    const message = `Postern could not create partitions. Solve the problem, then run \`postern migrate\` again:\n${reasons.join("\n")}`;
    throw new AppError("UNAVAILABLE", message);
  } finally {
    await db.close();
  }
}
