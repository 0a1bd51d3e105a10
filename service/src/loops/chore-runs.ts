import type { Queryable } from "../db/database.ts";

/** A run has the lease that long after each renewal. Without a renewal its process has crashed or hangs. */
export const leaseSeconds = 20;
/** A chore that says when it is due runs this often without being due, so that a wrong condition cannot stop it for ever. */
const unconditionalSeconds = 30;
/** A time further ahead is not one that this code wrote: the clock of the server was set back. */
const longestPause = "make_interval(secs => greatest(chore.pause_seconds, 60))";

export interface TimedChore {
  name: string;
  pauseSeconds: number;
  dueWhen?: string | undefined;
}

export interface ChoreRun {
  name: string;
  run: number;
}

/** New chores are due now, and known ones after their present pause at the latest. */
export async function addChores(db: Queryable, chores: TimedChore[]): Promise<void> {
  await db.query({
    name: "add-chores",
    text: `
      with chore as materialized (
        select *
        from unnest($1::text[], $2::float8[]) as chore (name, pause_seconds)
      ), shortened as (
        update chore_runs r
        set due_at = now() + make_interval(secs => chore.pause_seconds)
        from chore
        where r.name = chore.name
          and r.due_at > now() + make_interval(secs => chore.pause_seconds)
      )
      insert into chore_runs (name, due_at)
      select name, now()
      from chore
      order by name
      on conflict (name) do nothing`,
    values: arraysOf(chores),
  });
}

/** Takes every due chore that no run has. One statement for all of them: almost always none is due. */
export function takeDueChores(db: Queryable, all: TimedChore[], free: TimedChore[]): Promise<ChoreRun[]> {
  const conditional = all.filter(({ dueWhen }) => dueWhen !== undefined);
  const branches = conditional.map(({ name, dueWhen }) => `when r.name = '${name}' then exists (${dueWhen})`);
  return db.query<ChoreRun>({
    name: "take-due-chores",
    text: `
      with due as materialized (
        select r.name
        from unnest($1::text[], $2::float8[]) as chore (name, pause_seconds)
        join chore_runs r on r.name = chore.name
        where (r.leased_until is null or r.leased_until not between now() and now() + interval '${leaseSeconds} seconds')
          and (r.due_at <= now() or r.due_at > now() + ${longestPause})
          and case
            when r.due_at <= now() - interval '${unconditionalSeconds} seconds' then true
            ${branches.join("\n            ")}
            else true
          end
        for update of r skip locked
      )
      update chore_runs r
      set run = r.run + 1, leased_until = now() + interval '${leaseSeconds} seconds'
      from due
      where r.name = due.name
      returning r.name, r.run`,
    values: arraysOf(free),
  });
}

export async function renewLeases(db: Queryable, runs: ChoreRun[]): Promise<void> {
  await db.query({
    name: "renew-chore-leases",
    text: `
      update chore_runs r
      set leased_until = now() + interval '${leaseSeconds} seconds'
      from unnest($1::text[], $2::integer[]) as mine (name, run)
      where r.name = mine.name
        and r.run = mine.run`,
    values: [runs.map(({ name }) => name), runs.map(({ run }) => run)],
  });
}

export async function endRun(db: Queryable, { name, run }: ChoreRun, pauseSeconds: number): Promise<void> {
  await db.query({
    name: "end-chore-run",
    text: `
      update chore_runs
      set due_at = now() + make_interval(secs => $3::float8), leased_until = null
      where name = $1
        and run = $2`,
    values: [name, run, pauseSeconds],
  });
}

function arraysOf(chores: TimedChore[]): [names: string[], pauses: number[]] {
  return [chores.map(({ name }) => name), chores.map(({ pauseSeconds }) => pauseSeconds)];
}
