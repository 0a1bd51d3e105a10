import type { Queryable } from "../db/database.ts";
import type { Domain, RecordCheck, VerificationStatus } from "./domain.ts";

/** These serve all accounts: a chore looks at every domain that is due. */

export type DueDomain = Pick<
  Domain,
  "id" | "domainName" | "challengeToken" | "dkimTokens" | "dkimZone" | "verificationStatus"
> & {
  isDkimVerified: boolean;
  secondsSinceRegistration: number;
  /** Undefined while the domain is in order, or was never verified. */
  secondsFailing: number | undefined;
};

/** A check that dies with its process is made again by another after this time. */
const leaseSeconds = 120;

/**
 * Takes up to `limit` of the newest domains that are due and up to `limit` of those due for longest. The newest have a
 * person waiting; the others must not wait for ever because of them.
 */
export async function claimDueDomains(db: Queryable, limit: number): Promise<DueDomain[]> {
  return db.query<DueDomain>({
    name: "claim-due-domains",
    text: `
      with newest as materialized (
        select id
        from domains
        where registered_at is not null and next_check_at <= now()
        order by registered_at desc
        limit $1
      ), longest_due as materialized (
        select id
        from domains
        where registered_at is not null and next_check_at <= now()
        order by next_check_at
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
      returning domains.id, domain_name as "domainName", challenge_token as "challengeToken",
        dkim_tokens as "dkimTokens", dkim_zone as "dkimZone", verification_status as "verificationStatus",
        is_dkim_verified as "isDkimVerified",
        extract(epoch from now() - registered_at)::float8 as "secondsSinceRegistration",
        extract(epoch from now() - failing_since)::float8 as "secondsFailing"`,
    values: [limit, leaseSeconds],
  });
}

export interface Settlement {
  id: number;
  status: VerificationStatus;
  isFailing: boolean;
  isDkimVerified: boolean;
  nextCheckSeconds: number;
  recordChecks: RecordCheck[];
}

/**
 * Writes what a look found. Returns false when the status would be Success and another account has verified the name: of
 * two that prove it at the same moment the unique index lets one through, and the other must not fail for it.
 */
export async function settleCheck(db: Queryable, settlement: Settlement): Promise<boolean> {
  try {
    const rows = await db.query({
      name: "settle-domain-check",
      text: `
        update domains
        set verification_status = $2,
            failing_since = case when $3 then coalesce(failing_since, now()) end,
            is_dkim_verified = $4,
            next_check_at = now() + make_interval(secs => $5),
            record_checks = $6,
            last_checked_at = now()
        where id = $1
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
        settlement.isDkimVerified,
        settlement.nextCheckSeconds,
        JSON.stringify(settlement.recordChecks),
      ],
    });
    return rows.length === 1;
  } catch (error) {
    const isRace = error instanceof Error && "constraint" in error && error.constraint === "domains_verified_once_idx";
    if (!isRace) throw error;
    return false;
  }
}

/** Writes what the provider's list says of many names at once. */
export async function storeDkimStates(
  db: Queryable,
  states: { domainName: string; isVerified: boolean }[],
): Promise<void> {
  await db.query({
    name: "store-dkim-states",
    text: `
      with listed as materialized (
        select domains.id, listed.is_verified
        from unnest($1::text[], $2::boolean[]) as listed (domain_name, is_verified)
        join domains on domains.domain_name = listed.domain_name
        where domains.is_dkim_verified <> listed.is_verified
          and domains.registered_at is not null
        order by domains.id
        for update of domains
      )
      update domains
      set is_dkim_verified = listed.is_verified,
          next_check_at = least(next_check_at, now())
      from listed
      where domains.id = listed.id`,
    values: [states.map(({ domainName }) => domainName), states.map(({ isVerified }) => isVerified)],
  });
}

/** How many domains have shown their proof and wait for the provider to see its records. */
export async function countWaitingForDkim(db: Queryable): Promise<number> {
  const [row] = await db.query<{ waiting: number }>({
    name: "count-waiting-for-dkim",
    text: `
      select count(*) as waiting
      from domains
      where registered_at is not null
        and not is_dkim_verified
        and record_checks @> '[{"record": {"type": "TXT"}, "status": "found"}]'`,
  });
  return row?.waiting ?? 0;
}
