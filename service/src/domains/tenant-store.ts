import type { Queryable } from "../db/database.ts";
import { accountsElsewhere } from "./accounts-elsewhere.ts";

export interface DueTenant {
  domainId: number;
  accountId: string;
  domainName: string;
  /** The tenant exists and has the configuration set. */
  isTenantReady: boolean;
}

/**
 * Serves all accounts. Takes the verified domain that has waited longest for its tenant, and makes it due again in a minute, for the case
 * that this try fails or the process crashes. A time further ahead is not ours: the clock of the server was set back.
 */
export async function takeDueTenant(db: Queryable): Promise<DueTenant | undefined> {
  const [row] = await db.query<DueTenant>({
    name: "take-due-tenant",
    text: `
      with due as materialized (
        select id
        from domains
        where tenant_ready_at is null and verification_status = 'Success'
          and account_id not in ${accountsElsewhere}
          and (tenant_try_at is null or tenant_try_at <= now() or tenant_try_at > now() + interval '2 minutes')
        order by tenant_try_at nulls first, id
        limit 1
        for update skip locked
      )
      update domains d
      set tenant_started_at = coalesce(d.tenant_started_at, now()), tenant_try_at = now() + interval '1 minute'
      from due
      where d.id = due.id
      returning d.id as "domainId", d.account_id as "accountId", d.domain_name as "domainName",
        exists (select from accounts a where a.id = d.account_id and a.tenant_ready_at is not null) as "isTenantReady"`,
  });
  return row;
}

/** No call was made for lack of a control-call token: the domain need not wait a minute. */
export async function returnDueTenant(db: Queryable, { domainId }: DueTenant): Promise<void> {
  await db.query({
    name: "return-due-tenant",
    text: `
      update domains
      set tenant_try_at = now()
      where id = $1
        and tenant_ready_at is null`,
    values: [domainId],
  });
}

export async function markTenantReady(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: "mark-tenant-ready",
    text: `
      update accounts
      set tenant_ready_at = now()
      where id = $1`,
    values: [accountId],
  });
}

/** Mail of the domain that waits for the tenant goes on: its next probe is due now. */
export async function markIdentityAdded(db: Queryable, { domainId }: DueTenant): Promise<void> {
  await db.query({
    name: "mark-identity-added",
    text: `
      update domains
      set tenant_ready_at = now(), probe_at = case when denied_since is not null then least(probe_at, now()) end
      where id = $1`,
    values: [domainId],
  });
}

export async function forgetAccountTenant(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: "forget-account-tenant",
    text: `
      update accounts
      set tenant_ready_at = null
      where id = $1
        and tenant_ready_at is not null`,
    values: [accountId],
  });
}

/** All steps are repeated. If the process crashes between the two statements, the next denied probe calls this again. */
export async function forgetTenant(
  db: Queryable,
  { accountId, domainName }: { accountId: string; domainName: string },
): Promise<void> {
  await forgetAccountTenant(db, accountId);
  await db.query({
    name: "forget-tenant",
    text: `
      update domains
      set tenant_ready_at = null
      where account_id = $1 and domain_name = $2
        and tenant_ready_at is not null`,
    values: [accountId, domainName],
  });
}

/** How many domains wait for their tenant, up to 10,000. */
export async function countWithoutTenant(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-without-tenant",
    text: `
      select count(*) as count
      from (
        select
        from domains
        where tenant_ready_at is null and verification_status = 'Success'
        limit 10000
      ) as waiting`,
  });
  return row?.count ?? 0;
}
