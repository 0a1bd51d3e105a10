import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { AppError } from "../errors.ts";
import { amountText, durationText } from "../plain-text.ts";
import { codeLevel } from "./code-range.ts";
import type { Progress } from "./lock-retries.ts";
import { asMigrator } from "./migrate.ts";
import { pendingSteps, runPendingSteps, type StepList } from "./run-steps.ts";
import { contractFolder, expandFolder, stepNumber } from "./schema-steps.ts";

const contractSteps: StepList = { folder: contractFolder, table: "schema_contracts" };
const expandSteps: StepList = { folder: expandFolder, table: "schema_migrations" };
/** A lease lasts a minute, longer with attachments. */
const defaultWithinMs = 300_000;
const lookEveryMs = 1_000;
const reportEveryMs = 5_000;

interface ContractOptions {
  steps?: StepList;
  withinMs?: number;
  lockWithinMs?: number;
}

/**
 * Runs the contract steps: they remove what older code needs.
 *
 * 1. Refuse while a process of older code runs. Nothing has changed until here.
 * 2. Raise the oldest code, in a commit of its own: from now on older code accepts and claims nothing, and does not start.
 * 3. Wait until no older process or session is left, and the leases from before have ended.
 * 4. Run the steps like expand steps.
 *
 * After a kill or a refusal at any point, the next run begins at 1 and finds done what is done.
 */
export async function contract(url: string, report: Progress, options: ContractOptions = {}): Promise<string[]> {
  const { steps = contractSteps, withinMs = defaultWithinMs, lockWithinMs } = options;
  return asMigrator(url, report, async (run) => {
    await requireExpanded(run.client);
    const pending = await pendingSteps(run.client, steps);
    if (pending.length === 0) return [];
    const oldest = Math.max(...pending.map(stepNumber));
    if (oldest > codeLevel) throw new Error(`contract step ${oldest} is newer than this code (${codeLevel})`);
    const running = await findOlder(run.client, oldest);
    if (running.length > 0) throw stillRunning(running, oldest, "Nothing was changed.");
    const raisedAt = await raiseOldestCode(run.client, oldest);
    report(`the schema now permits code ${oldest} and newer only`);
    await waitForOlder(run.client, { oldest, raisedAt, withinMs, report });
    return runPendingSteps({ ...run, lockWithinMs }, steps);
  });
}

async function requireExpanded(client: pg.Client): Promise<void> {
  const missing = await pendingSteps(client, expandSteps);
  if (missing.length === 0) return;
  throw new AppError(
    "CONFLICT",
    `The schema lacks ${missing.join(", ")}. Run \`postern migrate\`, restart all processes with this version, and then run ` +
      "`postern migrate --contract`. Nothing was changed.",
  );
}

/** Never lowers it. Returns when it was raised to at least this. */
async function raiseOldestCode(client: pg.Client, oldest: number): Promise<string> {
  await client.query("update schema_range set oldest_code = $1, raised_at = clock_timestamp() where oldest_code < $1", [
    oldest,
  ]);
  const { rows } = await client.query<{ at: string }>(
    "select coalesce(raised_at, clock_timestamp())::text as at from schema_range",
  );
  return rows[0]?.at ?? "now";
}

interface Wait {
  oldest: number;
  raisedAt: string;
  withinMs: number;
  report: Progress;
}

async function waitForOlder(client: pg.Client, { oldest, raisedAt, withinMs, report }: Wait): Promise<void> {
  const startedAt = performance.now();
  for (let reportedAt = Number.NEGATIVE_INFINITY; ; await sleep(lookEveryMs)) {
    const left = [...(await findOlder(client, oldest)), ...(await findLeases(client, raisedAt))];
    if (left.length === 0) return;
    const now = performance.now();
    if (now - startedAt > withinMs) {
      const state =
        "No contract step ran. The oldest version stays raised, so older processes accept and claim nothing.";
      throw stillRunning(left, oldest, state);
    }
    if (now - reportedAt < reportEveryMs) continue;
    reportedAt = now;
    report(`waiting (${durationText((now - startedAt) / 1000)}) for ${left.join("; ")}`);
  }
}

function stillRunning(running: string[], oldest: number, state: string): AppError {
  return new AppError(
    "CONFLICT",
    `The contract steps need code ${oldest} or newer everywhere, but these are left:\n${running.map((each) => `  - ${each}`).join("\n")}\n` +
      `${state} Upgrade or stop them, and run the command again.`,
  );
}

/**
 * These sessions cannot hold a step back: commands and probes write no mail, and one name serves the connections of every version
 * through a pooler, which also keeps them after their process has ended. Heartbeats name the processes behind a pooler.
 */
const namesWithoutLevel = "^postern-(migrate|test|status|mail-view|dev|pooled|probe|host-choice|liveness)";

/** A process by its heartbeat; a session of a process that sends none, because it is frozen or its machine is cut off. */
async function findOlder(client: pg.Client, oldest: number): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select format('process %s (%s, version %s, code %s, heartbeat %s s ago)', name, role, version,
        coalesce(code_level::text, 'from before 80'), floor(extract(epoch from now() - seen_at))) as text
     from processes
     where stopped_at is null and seen_at > now() - interval '20 seconds' and coalesce(code_level, 79) < $1
     union all
     select format('session %s (%s, %s, since %s UTC)', pid, application_name, state, to_char(backend_start at time zone 'UTC', 'HH24:MI:SS'))
     from pg_stat_activity
     where datname = current_database() and application_name like 'postern-%'
       and application_name !~ $2
       and coalesce(substring(application_name from '/(\\d+)$')::integer, 79) < $1
     order by 1`,
    [oldest, namesWithoutLevel],
  );
  return rows.map(({ text }) => text);
}

async function findLeases(client: pg.Client, raisedAt: string): Promise<string[]> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count
     from send_queue
     where state = 'leased' and attempted_at <= $1::timestamptz and due_at > now()`,
    [raisedAt],
  );
  const count = rows[0]?.count ?? 0;
  return count === 0 ? [] : [`${amountText(count, "submission")} that began before`];
}
