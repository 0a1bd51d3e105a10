import type pg from "pg";
import { countText } from "../plain-text.ts";
import { buildPartitionedIndex, concurrentIndexName, dropInvalidIndex, type RunPart } from "./concurrent-index.ts";
import { type LockRetries, lockTimeoutMs, type Progress, reportingBlockers, untilLocked } from "./lock-retries.ts";
import { type Part, readStep, type SchemaStep, stepNames } from "./schema-steps.ts";

/** The steps of one folder, and the table that lists the applied ones. */
export interface StepList {
  folder: string;
  table: "schema_migrations" | "schema_contracts";
}

export interface StepRun {
  client: pg.Client;
  /** The application_name of `client`. */
  clientName: string;
  /** A second connection, which sees who blocks the first. */
  observer: pg.Client;
  report: Progress;
  lockWithinMs?: number | undefined;
  /** Runs in the transaction that records the step. */
  recorded?: (step: SchemaStep) => Promise<void>;
}

/** The names of the steps that are not applied yet, oldest first. */
export async function pendingSteps(client: pg.Client, { folder, table }: StepList): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`select name from ${table}`);
  const applied = new Set(rows.map(({ name }) => name));
  return stepNames(folder).filter((name) => !applied.has(name));
}

/** Each step is recorded in the transaction that ends it, so a run that was killed continues where it was. Returns the names. */
export async function runPendingSteps(run: StepRun, list: StepList): Promise<string[]> {
  const pending = await pendingSteps(run.client, list);
  for (const name of pending) {
    await applyStep(run, list, readStep(list.folder, name));
    run.report(`applied ${name}`);
  }
  return pending;
}

async function applyStep(run: StepRun, list: StepList, step: SchemaStep): Promise<void> {
  for (const part of step.parts) await runPart(run, step, part);
  const statements = step.parts.length === 0 ? step.sql : "";
  await untilLocked(retriesOf(run, step.name), () => recordWith(run, list, step, statements));
}

/** Of a step without parts its statements, together with the record. */
async function recordWith({ client, recorded }: StepRun, { table }: StepList, step: SchemaStep, statements: string) {
  await client.query("begin");
  try {
    await client.query(statements);
    await client.query(`insert into ${table} (name, run_on) values ($1, now())`, [step.name]);
    await recorded?.(step);
    await client.query("commit");
  } catch (error) {
    // A lost connection has rolled back too. What went wrong first is the error that matters.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** A part that was interrupted runs again from its beginning, so it must be repeatable. */
async function runPart(run: StepRun, step: SchemaStep, part: Part): Promise<void> {
  const what = `${step.name}, ${part.about}`;
  run.report(what);
  const runStatement: RunPart = (sql, about) => runAlone(run, `${step.name}, ${about}`, sql);
  switch (part.kind) {
    case "step": {
      const index = concurrentIndexName(part.sql);
      if (index !== undefined) await dropInvalidIndex(run.client, index, runStatement);
      await runAlone(run, what, part.sql);
      return;
    }
    case "repeat":
      return repeatBatches(run, what, part.sql);
    case "partitioned index":
      return buildPartitionedIndex(run.client, part.sql, runStatement, run.report);
  }
}

/** A concurrent build blocks neither reads nor writes, so it waits for older transactions as long as it must. */
async function runAlone(run: StepRun, what: string, sql: string): Promise<number> {
  const { client } = run;
  if (!/\bconcurrently\b/i.test(sql)) {
    return untilLocked(retriesOf(run, what), async () => (await client.query(sql)).rowCount ?? 0);
  }
  await client.query("set lock_timeout = 0");
  await reportingBlockers(retriesOf(run, what), () => client.query(sql));
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  return 0;
}

async function repeatBatches(run: StepRun, what: string, sql: string): Promise<void> {
  let total = 0;
  let reportedAt = performance.now();
  for (let changed = await runAlone(run, what, sql); changed > 0; changed = await runAlone(run, what, sql)) {
    total += changed;
    if (performance.now() - reportedAt < 10_000) continue;
    reportedAt = performance.now();
    run.report(`${what}: ${countText(total)} rows so far`);
  }
}

function retriesOf({ observer, clientName, report, lockWithinMs }: StepRun, what: string): LockRetries {
  return { what, observer, waiting: clientName, report, withinMs: lockWithinMs };
}
