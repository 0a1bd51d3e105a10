import type { Mode } from "../mode.ts";
import type { NotificationType } from "./notification-types.ts";

/** A URL of a customer that notifications are sent to. */
export interface Endpoint {
  id: string;
  mode: Mode;
  url: string;
  description: string | null;
  types: NotificationType[];
  createdAt: string;
  disabledAt: string | null;
  /** `user`: by the customer; `gone`: it answered 410; `failing`: it failed for days. */
  disabledReason: "user" | "gone" | "failing" | null;
  failingSince: string | null;
  /** Those that sign now, newest first. The values are never read here. */
  secrets: { createdAt: string; expiresAt: string | null }[];
  /** Of the deliveries of the last 24 hours that ended; null without one. */
  successRate: number | null;
  p95Ms: number | null;
  /** How many deliveries these two are of. */
  measured: number;
  /** Deliveries that wait for an attempt; counted no further than `maxWaiting`. */
  waiting: number;
}

/** An endpoint with a large backlog has many deliveries that did not end: one read looks at no more than this many. */
const maxRead = 5_000;
const maxMeasured = 1_000;
export const maxWaiting = 1_000;

/** SQL: the columns of an `Endpoint` of account `$1`, from the row `e`. */
export function endpointColumns(e: string): string {
  return `${e}.id, ${e}.mode, ${e}.url, ${e}.description, ${e}.types, ${e}.created_at as "createdAt", ${e}.disabled_at as "disabledAt",
        ${e}.disabled_reason as "disabledReason", ${e}.failing_since as "failingSince", secrets.secrets, measured."successRate",
        measured."p95Ms", measured.measured, queued.waiting`;
}

/** SQL: what `endpointColumns` needs beside the row `e`. */
export function endpointDetails(e: string): string {
  return `cross join lateral (
        select coalesce(jsonb_agg(
          jsonb_build_object('createdAt', s.created_at, 'expiresAt', s.expires_at) order by s.expires_at desc nulls first
        ), '[]') as secrets
        from webhook_secrets s
        where s.account_id = $1
          and s.endpoint_id = ${e}.id
          and (s.expires_at is null or s.expires_at > now())
      ) as secrets
      cross join lateral (
        select avg((ended.state = 'delivered')::integer)::float8 as "successRate",
          percentile_disc(0.95) within group (order by ended.duration_ms) as "p95Ms",
          count(*)::integer as measured
        from (
          select newest.state, newest.duration_ms
          from (
            select d.state, d.duration_ms
            from webhook_deliveries d
            where d.account_id = $1
              -- As one comparison of rows, so that only the index of the endpoint can serve it, in its order.
              and (d.endpoint_id, d.id) >= (${e}.id, first_id_at(now() - interval '24 hours'))
              and (d.endpoint_id, d.id) <= (${e}.id, uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff')
            order by d.endpoint_id desc, d.id desc
            limit ${maxRead}
          ) as newest
          where newest.state in ('delivered', 'failed')
          limit ${maxMeasured}
        ) as ended
      ) as measured
      cross join lateral (
        select count(*)::integer as waiting
        from (
          select
          from webhook_queue q
          where q.account_id = $1
            and q.endpoint_id = ${e}.id
            and q.state = 'pending'
          limit ${maxWaiting}
        ) as first_rows
      ) as queued`;
}

/** SQL: what the audit keeps of the row `e` of webhook_endpoints. */
export function endpointFacts(e: string): Record<string, string> {
  return {
    url: `${e}.url`,
    description: `${e}.description`,
    types: `${e}.types`,
    mode: `${e}.mode`,
    enabled: `${e}.disabled_at is null`,
  };
}
