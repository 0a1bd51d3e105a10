import type { Queryable } from "../db/database.ts";
import { accountsElsewhere } from "./accounts-elsewhere.ts";
import type { Domain, RecordCheck, VerificationStatus } from "./domain.ts";

export type DueDomain = Pick<
  Domain,
  "id" | "accountId" | "domainName" | "challengeToken" | "dkimTokens" | "dkimZone" | "verificationStatus"
> & {
  /**
   * `settleCheck` requires it: a check whose lease ended, or that a "verify now" request superseded, changes nothing.
   */
  claim: string;
  isDkimVerified: boolean;
  secondsSinceRegistration: number;
  /** Undefined unless the domain was verified and now fails its checks. */
  secondsFailing: number | undefined;
};

/** If a process crashes during a check, another process repeats the check after this time. */
const leaseSeconds = 120;

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const dueDomains = `
        select
        from domains
        where registered_at is not null and next_check_at <= now()
          and account_id not in ${accountsElsewhere}
        order by next_check_at
        limit 1`;

/**
 * Serves all accounts. Claims up to `limit` of the newest due domains, because a person waits for those, and up to
 * `limit` of the domains that have been due longest, so that new domains never starve them. Both take the first domain of
 * each account, then the second of each, so that the many domains of one account do not delay those of others.
 */
export async function claimDueDomains(db: Queryable, limit: number): Promise<DueDomain[]> {
  return db.query<DueDomain>({
    name: "claim-due-domains",
    text: `
      with due as materialized (
        select id, registered_at, next_check_at,
          row_number() over (partition by account_id order by registered_at desc) as newest_rank,
          row_number() over (partition by account_id order by next_check_at) as due_rank
        from domains
        where registered_at is not null and next_check_at <= now()
          and account_id not in ${accountsElsewhere}
      ), newest as materialized (
        select id
        from due
        order by newest_rank, registered_at desc
        limit $1
      ), longest_due as materialized (
        select id
        from due
        order by due_rank, next_check_at
        limit $1
      ), locked as materialized (
        select id
        from domains
        where id in (select id from newest union select id from longest_due)
          and next_check_at <= now()
        order by id
        for update skip locked
      )
      update domains
      set next_check_at = now() + make_interval(secs => $2)
      from locked
      where domains.id = locked.id
      returning domains.id, account_id as "accountId", domain_name as "domainName", challenge_token as "challengeToken",
        dkim_tokens as "dkimTokens", dkim_zone as "dkimZone", verification_status as "verificationStatus",
        next_check_at::text as claim, is_dkim_verified as "isDkimVerified",
        extract(epoch from now() - registered_at)::float8 as "secondsSinceRegistration",
        extract(epoch from now() - failing_since)::float8 as "secondsFailing"`,
    values: [limit, leaseSeconds],
  });
}

export interface Settlement {
  id: number;
  claim: string;
  status: VerificationStatus;
  isFailing: boolean;
  /** Undefined when the check did not ask the provider; the stored value then stays. */
  isDkimVerified: boolean | undefined;
  nextCheckSeconds: number;
  recordChecks: RecordCheck[];
}

/**
 * Stores the result of a check. Returns false, and stores nothing, in two cases:
 * 1. The claim is lost.
 * 2. The new status is Success and another account has verified the name. The unique index decides between two accounts
 *    that prove the name at the same moment.
 */
export async function settleCheck(db: Queryable, settlement: Settlement): Promise<boolean> {
  try {
    const rows = await db.query({
      name: "settle-domain-check",
      text: `
        update domains
        set verification_status = $2,
            failing_since = case when $3 then coalesce(failing_since, now()) end,
            is_dkim_verified = coalesce($4, is_dkim_verified),
            next_check_at = now() + make_interval(secs => $5),
            record_checks = $6,
            last_checked_at = now()
        where id = $1
          and next_check_at = $7::timestamptz
          and ($2 <> 'Success' or not exists (
            select from domains other
            where other.domain_name = domains.domain_name
              and other.id <> domains.id
              and other.verification_status = 'Success'))
        returning id`,
      values: [
        settlement.id,
        settlement.status,
        settlement.isFailing,
        settlement.isDkimVerified ?? null,
        settlement.nextCheckSeconds,
        JSON.stringify(settlement.recordChecks),
        settlement.claim,
      ],
    });
    return rows.length === 1;
  } catch (error) {
    const isVerifiedElsewhere =
      error instanceof Error && "constraint" in error && error.constraint === "domains_verified_once_idx";
    if (!isVerifiedElsewhere) throw error;
    return false;
  }
}
