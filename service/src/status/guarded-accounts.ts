import type { Queryable } from "../db/database.ts";
import { evaluateCounts } from "../guard/guard-verdict.ts";
import { firstDay, type GuardCounts, isAbove, reviewLine } from "../guard/limits.ts";
import { countText, durationText } from "../plain-text.ts";
import type { Problem } from "./problem.ts";
import type { RunbookSection } from "./runbook-sections.ts";

interface Listed {
  id: string;
  name: string;
  /** Of all accounts, not only the listed ones. */
  total: number;
}

export interface GuardedAccounts {
  /** Held by the guard; at most ten, longest first. */
  held: (Listed & { reason: string; heldSeconds: number })[];
  /** Above the review line and not held by the guard; at most ten, worst first. */
  warned: (Listed & GuardCounts & { isOff: boolean })[];
}

export const noGuardedAccounts: GuardedAccounts = { held: [], warned: [] };

/** Reads at most eight rows for each account that sent mail within the week. */
export async function listGuardedAccounts(db: Queryable): Promise<GuardedAccounts> {
  const [held, warned] = await Promise.all([listHeld(db), listWarned(db)]);
  return { held, warned };
}

export function totalOf(accounts: Listed[]): number {
  return accounts[0]?.total ?? 0;
}

function listHeld(db: Queryable): Promise<GuardedAccounts["held"]> {
  return db.query({
    name: "list-accounts-held-by-guard",
    text: `
      select id, name, guard_reason as reason, extract(epoch from now() - guard_held_at)::float8 as "heldSeconds",
        count(*) over () as total
      from accounts
      where guard_held_at is not null
      order by guard_held_at
      limit 10`,
  });
}

const above = isAbove(reviewLine);

function listWarned(db: Queryable): Promise<GuardedAccounts["warned"]> {
  return db.query({
    name: "list-accounts-with-warning",
    text: `
      select id, name, is_off as "isOff", outcomes, hard_bounces as "hardBounces", complaints, count(*) over () as total
      from (
        select a.id, a.name, a.guard_off as is_off, sum(g.outcomes)::bigint as outcomes,
          sum(g.hard_bounces)::bigint as hard_bounces, sum(g.complaints)::bigint as complaints
        from guard_counts g
        join accounts a on a.id = g.account_id and a.guard_epoch = g.epoch
        where g.day >= ${firstDay} and a.guard_held_at is null
        group by a.id
      ) as summed
      where ${above.bounces} or ${above.complaints}
      order by greatest(
        hard_bounces / (${reviewLine.bounceRate} * outcomes), complaints / (${reviewLine.complaintRate} * outcomes)
      ) desc, id
      limit 10`,
  });
}

const runbook: RunbookSection = "the-guard-holds-an-account";

export function guardProblems({ held, warned }: GuardedAccounts): Problem[] {
  return [
    ...held.map(({ id, name, reason, heldSeconds }) => ({
      what: `The guard put the live mail of ${name} on hold ${durationText(heldSeconds)} ago: ${reason}`,
      advice: `When the account has fixed the cause: \`postern admin guard --account ${id} --release\``,
      runbook,
      accountId: id,
      stopsMail: true as const,
    })),
    ...moreOf(held, "The guard holds the live mail of"),
    ...warned.map(({ id, name, isOff, ...counts }) => ({
      what: `Bounces or complaints of ${name}: ${evaluateCounts(counts).warnings.join(" ")}`,
      advice:
        `Ask the account to fix the cause. Details: \`postern admin guard --account ${id}\`` +
        (isOff ? ". The guard is off for this account and will not hold it." : ""),
      runbook,
      accountId: id,
    })),
    ...moreOf(warned, "SES's review line for bounces or complaints is exceeded by"),
  ];
}

function moreOf(accounts: Listed[], text: string): Problem[] {
  const more = totalOf(accounts) - accounts.length;
  return more === 0
    ? []
    : [{ what: `${text} ${countText(more)} more accounts.`, advice: "Fix the first ones, then look again.", runbook }];
}
