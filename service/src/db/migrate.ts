import type pg from "pg";
import { ConfigurationError } from "../errors.ts";
import { codeLevel } from "./code-range.ts";
import { lockTimeoutMs, type Progress } from "./lock-retries.ts";
import { waitForOtherMigration } from "./migration-lock.ts";
import { postgresClient } from "./postgres-client.ts";
import { runPendingSteps, type StepList, type StepRun } from "./run-steps.ts";
import { expandFolder, type SchemaStep, stepNames } from "./schema-steps.ts";
import { tcpKeepalive, withoutLimits } from "./session-settings.ts";

const expandSteps: StepList = { folder: expandFolder, table: "schema_migrations" };
export const migrateName = "postern-migrate";

interface MigrateOptions {
  steps?: StepList;
  /** How long one step waits for its locks, over all tries. */
  lockWithinMs?: number;
}

/**
 * Applies the expand steps that this release brings; code of the release before works on the result (docs/upgrades.md). Processes may
 * call it concurrently: one migrates, the others wait for it. It can be killed at any point; the next run continues.
 */
export async function migrate(url: string, report: Progress, options: MigrateOptions = {}): Promise<string[]> {
  const { steps = expandSteps, lockWithinMs } = options;
  return asMigrator(url, report, async (run) => {
    await prepareSchema(run.client);
    await refuseGap(run.client, steps);
    await refuseNewerSchema(run.client);
    const recorded = ({ number }: SchemaStep) => raiseLevel(run.client, number);
    return runPendingSteps({ ...run, lockWithinMs, recorded }, steps);
  });
}

/** Opens the connections of a migration and waits for every other one to end. */
export async function asMigrator<Result>(
  url: string,
  report: Progress,
  work: (run: StepRun) => Promise<Result>,
): Promise<Result> {
  const client = openClient(url, migrateName, `-c lock_timeout=${lockTimeoutMs}`);
  const observer = openClient(url, `${migrateName}-observer`, "-c statement_timeout=5000");
  try {
    await client.connect();
    await observer.connect();
    await waitForOtherMigration(client, report);
    return await work({ client, clientName: migrateName, observer, report });
  } finally {
    await Promise.allSettled([client.end(), observer.end()]);
  }
}

function openClient(connectionString: string, name: string, options: string): pg.Client {
  const client = new (postgresClient())({
    connectionString,
    application_name: name,
    options: `${withoutLimits} ${options} ${tcpKeepalive}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // Without a listener a lost connection would end the process. The statement that needs it fails with the reason.
  client.on("error", () => undefined);
  return client;
}

async function prepareSchema(client: pg.Client): Promise<void> {
  await requireRights(client);
  await client.query(
    "create table if not exists schema_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)",
  );
  await refuseOldSchema(client);
}

/** The owner of a database may create tables in its schema public. */
async function requireRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ user: string; database: string }>(
    `select current_user as "user", current_database() as database where not has_schema_privilege('public', 'create')`,
  );
  const [missing] = rows;
  if (missing === undefined) return;
  const { user, database } = missing;
  throw new ConfigurationError(
    `The user ${user} may not create tables in the database ${database}. The database must belong to this user. ` +
      `Run as its owner or as a superuser: alter database "${database}" owner to "${user}"`,
  );
}

/** Every database from before the baseline of November 2026 has this migration, and no later one does. */
const firstOldMigration = "0001_accounts";

/** The baseline renamed tables and columns before the first release, so there is no upgrade from the schema before it. */
async function refuseOldSchema(client: pg.Client): Promise<void> {
  const old = await client.query("select from schema_migrations where name = $1", [firstOldMigration]);
  if (old.rowCount === 0) return;
  throw new ConfigurationError(
    "This database has the schema of a development version of Postern from before its first release, which cannot be " +
      "upgraded. Create an empty database, set DATABASE_URL to it and run `postern migrate`. " +
      "For `postern dev`, start once with --fresh.",
  );
}

/** Steps are written for the schema that all earlier ones made. */
async function refuseGap(client: pg.Client, { folder, table }: StepList): Promise<void> {
  const known = stepNames(folder);
  const { rows } = await client.query<{ name: string }>(`select name from ${table} where name = any ($1)`, [known]);
  const applied = new Set(rows.map(({ name }) => name));
  const last = known.findLastIndex((name) => applied.has(name));
  const missing = known.slice(0, Math.max(0, last)).filter((name) => !applied.has(name));
  if (missing.length === 0) return;
  throw new ConfigurationError(
    `The database has ${known[last]}, but not ${missing.join(", ")}, which came before it. Restore the database or the ` +
      "folder of migrations: steps are never inserted, renamed or removed.",
  );
}

/** The step that brings the table of the range. */
const rangeStep = 80;

/** In the transaction of the step: code that needs it may start as soon as it is there. */
async function raiseLevel(client: pg.Client, number: number): Promise<void> {
  if (number > rangeStep) await client.query("update schema_range set level = greatest(level, $1)", [number]);
}

/** Contract steps have removed what the statements of this release, also those that migrate, rely on. */
async function refuseNewerSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>("select to_regclass('schema_range') is not null as exists");
  if (rows[0]?.exists !== true) return;
  const range = await client.query<{ oldest: number }>(
    "select oldest_code as oldest from schema_range where oldest_code > $1",
    [codeLevel],
  );
  const [newer] = range.rows;
  if (newer === undefined) return;
  throw new ConfigurationError(
    `This version of Postern (code ${codeLevel}) is too old for the schema, which permits code ${newer.oldest} and newer. ` +
      "Use a newer version.",
  );
}

/** The names of this release's expand steps, oldest first. */
export function knownMigrations(): string[] {
  return stepNames(expandFolder);
}
