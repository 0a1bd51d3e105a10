import type { Queryable } from "../db/database.ts";

const failingDays = 5;
const minFailedDeliveries = 10;

export interface DisabledEndpoint {
  id: string;
  accountId: string;
}

/**
 * Disables the endpoints that have failed for five days and lost ten deliveries. Serves all accounts. Their pending deliveries become
 * `paused` (follow-endpoints.ts). Not at repeatable read, where the trigger could miss a concurrent change of another endpoint.
 */
export function disableFailing(db: Queryable): Promise<DisabledEndpoint[]> {
  return db.query<DisabledEndpoint>({
    name: "disable-failing-endpoints",
    text: `
      with failing as materialized (
        select id
        from webhook_endpoints
        where disabled_at is null
          and failing_since < now() - make_interval(days => $1)
          and failed_deliveries >= $2
          and account_id not in (select account_id from moving_accounts)
        order by id
        for update skip locked
      )
      update webhook_endpoints e
      set disabled_at = now(), disabled_reason = 'failing'
      from failing
      where e.id = failing.id
      returning e.id, e.account_id as "accountId"`,
    values: [failingDays, minFailedDeliveries],
  });
}

/**
 * Disables an endpoint that answered 410. An answer of an earlier URL says nothing about the present one. Serves all accounts. Returns
 * whether this call disabled it.
 */
export async function disableGone(db: Queryable, endpointId: string, url: string): Promise<boolean> {
  const rows = await db.query({
    name: "disable-gone-endpoint",
    text: `
      update webhook_endpoints
      set disabled_at = now(), disabled_reason = 'gone'
      where id = $1
        and url = $2
        and disabled_at is null
      returning id`,
    values: [endpointId, url],
  });
  return rows.length > 0;
}
