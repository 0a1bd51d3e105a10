import type { Database } from "../../src/db/database.ts";
import type { Symptom } from "./notices.ts";

export interface StuckFault extends Symptom {
  name: string;
  /** Returns a function that ends the fault. */
  inject(db: Database): Promise<() => Promise<void>>;
}

const failing = "raise exception 'a planted failure'";

export const claimsFail: StuckFault = {
  name: "claims fail",
  problem: /^The claims of the worker .* have failed for/,
  metric: /^postern_claims_failing [1-9]/m,
  inject: (db) => replaceFunction(db, "lock_pace(mode text) returns timestamptz", failing),
};

/** Faults in the database that keep a running worker from working. */
export const databaseFaults: StuckFault[] = [
  claimsFail,
  {
    name: "a chore fails",
    problem: /^The chore fold-list-changes has failed for/,
    metric: /^postern_chores_failing [1-9]/m,
    inject: (db) => replaceFunction(db, "fold_days() returns trigger", failing),
  },
  {
    name: "ready mail that nobody claims",
    problem: /^Live mail is ready and neither on hold/,
    metric: /^postern_unclaimed_seconds\{mode="live"\} [1-9]/m,
    inject: (db) =>
      replaceFunction(db, "lock_pace(mode text) returns timestamptz", "return now() + interval '2 seconds'"),
  },
  {
    name: "the queue of chores fails",
    problem: /^The worker .* not been able to read the queue of chores/,
    metric: /^postern_chores_failing [1-9]/m,
    async inject(db) {
      await change(db, "alter table chore_runs rename to hidden_chore_runs");
      return () => change(db, "alter table hidden_chore_runs rename to chore_runs");
    },
  },
];

async function replaceFunction(db: Database, signature: string, body: string): Promise<() => Promise<void>> {
  const name = signature.slice(0, signature.indexOf("("));
  const [row] = await db.query<{ definition: string }>({
    name: "definition-of-a-function",
    text: "select pg_get_functiondef(oid) as definition from pg_proc where proname = $1",
    values: [name],
  });
  if (row === undefined) throw new Error(`there is no function ${name}`);
  const { definition } = row;
  const settings = /security definer/i.test(definition) ? "security definer set search_path = public, pg_temp" : "";
  await change(db, `create or replace function ${signature} language plpgsql ${settings} as $$ begin ${body}; end $$`);
  return () => change(db, definition);
}

async function change(db: Database, text: string): Promise<void> {
  await db.query({ name: "change-for-a-fault", text, isPlannedEachTime: true });
}
