import type { Queryable } from "../db/database.ts";
import { accountsElsewhere } from "./accounts-elsewhere.ts";

/**
 * Serves all accounts. Stores the DKIM states that the provider's list reports; a changed domain is due immediately.
 */
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

/** Serves all accounts. Counts the new domains with a TXT record whose DKIM records the provider has not seen yet. */
export async function countWaitingForDkim(db: Queryable): Promise<number> {
  const [row] = await db.query<{ waiting: number }>({
    name: "count-waiting-for-dkim",
    text: `
      select count(*) as waiting
      from domains
      where verification_status = 'Pending'
        and registered_at > now() - interval '72 hours'
        and not is_dkim_verified
        and account_id not in ${accountsElsewhere}
        and record_checks @> '[{"record": {"type": "TXT"}, "status": "found"}]'`,
  });
  return row?.waiting ?? 0;
}

/**
 * Serves all accounts. Domains that are missing from the provider's complete list have lost their identity there. Marks
 * them as not verified and returns their names, so that the caller can create the identities again.
 */
export async function storeMissingIdentities(db: Queryable, listed: string[], readSince: string): Promise<string[]> {
  const rows = await db.query<{ domainName: string }>({
    name: "store-missing-identities",
    text: `
      with missing as materialized (
        select id
        from domains
        where registered_at < $2::timestamptz
          and account_id not in ${accountsElsewhere}
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

/** Serves all accounts: each account with this name has to publish the DKIM records of the new identity. */
export async function storeNewIdentity(
  db: Queryable,
  domainName: string,
  identity: { dkimTokens: string[]; dkimZone: string },
): Promise<void> {
  await db.query({
    name: "store-new-identity",
    text: `
      update domains
      set dkim_tokens = $2, dkim_zone = $3, is_dkim_verified = false, next_check_at = now(),
          -- The new identity has no MAIL FROM domain yet.
          mail_from_is_applied = mail_from_subdomain is null,
          mail_from_due_at = case when mail_from_subdomain is not null then now() end
      where domain_name = $1
        and registered_at is not null`,
    values: [domainName, identity.dkimTokens, identity.dkimZone],
  });
}

export async function readClock(db: Queryable): Promise<string> {
  const [row] = await db.query<{ now: string }>({ name: "read-clock", text: "select now()" });
  if (row === undefined) throw new Error("PostgreSQL returned no time");
  return row.now;
}
