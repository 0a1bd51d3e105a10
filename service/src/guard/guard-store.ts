import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import { rowByIndex } from "../db/stable-plan.ts";
import { firstDay, type GuardCounts, keyColumns } from "./limits.ts";

export interface GuardState extends GuardCounts {
  heldAt: string | null;
  reason: string | null;
  isOff: boolean;
  /** The two holds are independent. */
  isHeldByOperator: boolean;
  releasedAt: string | null;
}

/** The counts of the last seven days or since the last release. They are about five seconds old. */
export async function findGuardState(
  db: Queryable | AccountDatabase,
  accountId: string,
): Promise<GuardState | undefined> {
  const [row] = await db.query<GuardState>({
    name: "find-guard-state",
    text: `
      ${guardStates}
      where a.id = $1`,
    values: [accountId],
  });
  return row;
}

/** Of these accounts. */
export function listGuardStates(
  db: Queryable,
  accountIds: readonly string[],
): Promise<(GuardState & { accountId: string })[]> {
  return db.query<GuardState & { accountId: string }>({
    name: "list-guard-states",
    text: `
      ${guardStates}
      where a.id = any ($1::uuid[])`,
    values: [accountIds],
  });
}

const guardStates = `
      select a.id as "accountId", a.guard_held_at as "heldAt", a.guard_reason as reason, a.guard_off as "isOff",
        a.held_at is not null as "isHeldByOperator", a.guard_released_at as "releasedAt",
        counted.outcomes, counted."hardBounces", counted.complaints
      from accounts a
      cross join lateral (
        select coalesce(sum(g.outcomes), 0)::bigint as outcomes, coalesce(sum(g.hard_bounces), 0)::bigint as "hardBounces",
          coalesce(sum(g.complaints), 0)::bigint as complaints
        from guard_counts g
        where g.account_id = a.id and g.epoch = a.guard_epoch and g.day >= ${firstDay}
      ) as counted`;

/**
 * Ends the hold of the guard, not that of the operator, and forgets all outcomes so far: a new epoch begins, and sends that were
 * accepted before now are not counted in it. Returns how long the guard held the account; undefined when it did not.
 */
export async function releaseFromGuard(
  db: Queryable,
  accountId: string,
  actor: Actor = systemActor,
): Promise<{ heldSeconds: number } | undefined> {
  const [row] = await db.query<{ heldSeconds: number | null }>({
    name: "release-from-guard",
    text: `
      with before as materialized (
        select id, guard_epoch, guard_held_at, guard_reason
        from accounts
        where id = $1
        for no key update
      ), forgotten as (
        delete from guard_counts g
        using before
        where g.account_id = before.id and g.epoch <= before.guard_epoch
      ), released as (
        update accounts a
        set guard_epoch = before.guard_epoch + 1, guard_released_at = now(), guard_held_at = null, guard_reason = null
        from before
        where a.id = before.id
        returning a.id, a.name, before.guard_held_at, before.guard_reason
      ), ${auditEntry({
        action: "account.guard-release",
        actor: "$2",
        target: { kind: "account", id: "released.id", name: "released.name" },
        before: { held_at: "released.guard_held_at", reason: "released.guard_reason" },
        from: "released",
      })}
      select extract(epoch from now() - guard_held_at)::float8 as "heldSeconds"
      from released`,
    values: [accountId, JSON.stringify(actor)],
  });
  const heldSeconds = row?.heldSeconds ?? null;
  return heldSeconds === null ? undefined : { heldSeconds };
}

/** Off: the guard still counts, and never holds the account. On: the next check uses everything that was counted meanwhile. */
export async function switchGuard(
  db: Queryable,
  accountId: string,
  isOff: boolean,
  actor: Actor = systemActor,
): Promise<void> {
  await db.query({
    name: "switch-guard",
    text: `
      with old as materialized (
        select id, name, guard_off
        from accounts
        where id = $1
        for no key update
      ), switched as (
        update accounts
        set guard_off = $2
        from old
        where accounts.id = old.id
        returning accounts.id
      ), ${auditEntry({
        action: "account.guard-change",
        actor: "$3",
        target: { kind: "account", id: "old.id", name: "old.name" },
        before: { off: "old.guard_off" },
        after: { off: "$2::boolean" },
        from: "old join switched on switched.id = old.id where old.guard_off <> $2",
      })}
      update guard_counts g
      set checked = -1
      from switched
      where g.account_id = switched.id and not $2`,
    values: [accountId, isOff, JSON.stringify(actor)],
  });
}

/** The window has seven days; one more covers a clock that is set back. Returns the number of counts, at most `limit`. */
export async function dropOldGuardCounts(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "drop-old-guard-counts",
    text: `
      with old as materialized (
        select account_id, epoch, day
        from guard_counts
        where day < ${firstDay} - 1
        order by day
        limit $1
        for update skip locked
      )
      delete from guard_counts g
      using old
      where ${rowByIndex(keyColumns("g"), keyColumns("old"))}
      returning g.account_id`,
    values: [limit],
  });
  return rows.length;
}
