import type { Queryable } from "../db/database.ts";
import type { Domain, RecordCheck, VerificationStatus } from "./domain.ts";

/** These serve all accounts: a chore looks at every domain that is due. */

export type DueDomain = Pick<
  Domain,
  "id" | "domainName" | "challengeToken" | "dkimTokens" | "dkimZone" | "verificationStatus"
> & {
  /** Settling names it: a check whose claim was taken over, or overtaken by "verify now", changes nothing. */
  claim: string;
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
  /** Undefined when the provider was not asked: then what is stored stands. */
  isDkimVerified: boolean | undefined;
  nextCheckSeconds: number;
  recordChecks: RecordCheck[];
}

/**
 * Writes what a look found. Returns false when the claim is lost, or when the status would be Success and another account
 * has verified the name: of two that prove it at the same moment the unique index lets one through.
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

/** How many new domains have shown their proof and wait for the provider to see its records. */
export async function countWaitingForDkim(db: Queryable): Promise<number> {
  const [row] = await db.query<{ waiting: number }>({
    name: "count-waiting-for-dkim",
    text: `
      select count(*) as waiting
      from domains
      where verification_status = 'Pending'
        and registered_at > now() - interval '72 hours'
        and not is_dkim_verified
        and record_checks @> '[{"record": {"type": "TXT"}, "status": "found"}]'`,
  });
  return row?.waiting ?? 0;
}

/**
 * After the provider's whole list was read: domains that are not on it have lost their identity there, however that came
 * about. They count as not verified; their names are returned, so that the identities can be made again.
 */
export async function storeMissingIdentities(db: Queryable, listed: string[], readSince: string): Promise<string[]> {
  const rows = await db.query<{ domainName: string }>({
    name: "store-missing-identities",
    text: `
      with missing as materialized (
        select id
        from domains
        where registered_at < $2::timestamptz
          and domain_name <> all($1::text[])
        order by id
        for update
      )
      update domains
      set is_dkim_verified = false
      from missing
      where domains.id = missing.id
      returning domain_name as "domainName"`,
    values: [listed, readSince],
  });
  return [...new Set(rows.map((row) => row.domainName))];
}

/** The records of an identity that was made again; all accounts with the name have to publish them. */
export async function storeNewIdentity(
  db: Queryable,
  domainName: string,
  identity: { dkimTokens: string[]; dkimZone: string },
): Promise<void> {
  await db.query({
    name: "store-new-identity",
    text: `
      update domains
      set dkim_tokens = $2, dkim_zone = $3, is_dkim_verified = false, next_check_at = now()
      where domain_name = $1
        and registered_at is not null`,
    values: [domainName, identity.dkimTokens, identity.dkimZone],
  });
}

export async function readClock(db: Queryable): Promise<string> {
  const [row] = await db.query<{ now: string }>({ name: "read-clock", text: "select now()" });
  if (row === undefined) throw new Error("PostgreSQL told no time");
  return row.now;
}
