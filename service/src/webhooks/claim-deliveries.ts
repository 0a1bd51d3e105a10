import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { TraceParent } from "../traceparent.ts";
import { postsPerEndpoint } from "./endpoint-posts.ts";
import { endpointsWith } from "./waiting-endpoints.ts";

export interface DeliveryTrace {
  parent: TraceParent;
  sendId: string;
  type: string;
}

/** A delivery that only this worker may attempt, once, until the lease ends. */
export interface ClaimedDelivery {
  id: string;
  accountId: string;
  endpointId: string;
  attempt: number;
  /** As text, with the microseconds of the database. */
  attemptedAt: string;
  /** The same in whole seconds since 1970. */
  timestamp: number;
  url: string;
  /** What receivers see as webhook-id. Null, like the envelope, when the notification was deleted: retention keeps it until then. */
  publicId: string | null;
  envelope: string | null;
  /** Newest first. */
  sealedSecrets: Buffer[];
  /** CIDRs that the operator allowed to the account. */
  allowedNetworks: string[];
  /** Absent unless the operator traces sends and this delivery is about one with a trace (trace-webhook.ts). */
  trace?: DeliveryTrace | undefined;
}

const leasesWhileFailing = 1;
/** Of an endpoint that answers fast, for one worker, which posts four at a time. */
const leasesWhileFast = 16;
/** Half of the posts at a time, so that what happens now does not wait for a slow attempt of the replay of a range. */
const replayLeases = `least(allowed.leases, ${postsPerEndpoint / 2})`;

/** An attempt takes 15 s at most, on the clock of its worker. The rest is margin, on the clock of the database. */
export const leaseSeconds = 30;

export interface DeliveryClaim {
  maxDeliveries: number;
  /** Deliveries of this worker whose attempt succeeded and is being settled: they are no longer in flight. */
  answered: readonly string[];
  /** Endpoints that answered this worker fast a moment ago. */
  fastEndpoints: readonly string[];
  /** What this worker has leased of them and not answered. */
  leasedOfFast: readonly string[];
}

/**
 * Leases due deliveries. Serves all accounts. One claim runs at a time, over all workers, so it sees the leases of every earlier claim and
 * never exceeds the limit of an endpoint: four, one while it fails, or 16 for a worker to which it answers fast and which alone has leases
 * of it. That worker posts four of them at a time (endpoint-posts.ts), so an endpoint never gets more than four requests at a time.
 *
 * 1. `waiting`: every endpoint with pending deliveries.
 * 2. `open`: those that are enabled, except listeners (listeners/) and those of accounts on their way to another cell, and how many more
 *    leases each may have. An expired lease no longer counts.
 * 3. `due`: the oldest due deliveries of each, those of replayed ranges last, no more than it may have, numbered within their account after
 *    those in flight.
 * 4. `picked`: the first of each account, then the second, and so on.
 * 5. `taken`: leased. A row that another statement has locked waits for the next claim.
 *
 * The commit does not wait for the disk, which would take longer than everything else. A crash of PostgreSQL can undo it; the deliveries are
 * pending again then, and the results of their attempts are stored without moving them.
 *
 * `statement_timestamp()` instead of `now()`, which would be the time before the wait for the lock.
 */
export function claimDeliveries(db: Queryable, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery>({
    name: "claim-webhook-deliveries",
    text: `
      with recursive ${endpointsWith("pending")}, open as materialized (
        select waiting.id, endpoint.account_id, endpoint.url, leased.deliveries as in_flight,
          greatest(allowed.leases - leased.deliveries, 0) as free,
          greatest(${replayLeases} - leased.replays, 0) as free_for_replays
        from waiting
        cross join lateral ${indexLookup(`
          select e.account_id, e.url, e.failing_since is not null as is_failing
          from webhook_endpoints e
          where e.id = waiting.id
            and e.disabled_at is null
            and e.listens_until is null
            and e.account_id not in (select account_id from moving_accounts)`)} as endpoint
        cross join lateral (
          select count(*) as deliveries, count(*) filter (where l.priority > 0) as replays,
            count(*) filter (where l.delivery_id <> all ($5::uuid[])) as of_other_workers
          from webhook_queue l
          where l.state = 'delivering'
            and l.endpoint_id = waiting.id
            and l.due_at > statement_timestamp()
            and l.delivery_id <> all ($3::uuid[])
        ) as leased
        cross join lateral (
          select case
            when endpoint.is_failing then ${leasesWhileFailing}
            when waiting.id = any ($4::uuid[]) and leased.of_other_workers = 0 then ${leasesWhileFast}
            else ${postsPerEndpoint}
          end as leases
        ) as allowed
      ), due as materialized (
        select oldest.delivery_id, oldest.due_at, open.url,
          row_number() over (
            partition by open.account_id
            order by oldest.priority, oldest.due_at, oldest.delivery_id
          ) + account.in_flight as position
        from open
        join (
          select account_id, sum(in_flight) as in_flight
          from open
          group by account_id
        ) as account using (account_id)
        cross join lateral (
          ${oldestDue(0, "open.free")}
          union all
          ${oldestDue(1, "least(open.free, open.free_for_replays)")}
          order by priority, due_at, delivery_id
          limit open.free
        ) as oldest
      ), picked as materialized (
        select delivery_id, url, position, due_at
        from due
        order by position, due_at, delivery_id
        limit $1
      ), locked as materialized (
        select q.delivery_id, picked.url, picked.position, picked.due_at
        from picked
        join webhook_queue q on ${equalByIndex("q.delivery_id", "picked.delivery_id")}
        where q.state || '' = 'pending'
        for update of q skip locked
      ), taken as (
        update webhook_queue q
        set state = 'delivering', attempt = q.attempt + 1, attempted_at = clock_timestamp(),
          due_at = clock_timestamp() + make_interval(secs => $2)
        from locked
        where ${equalByIndex("q.delivery_id", "locked.delivery_id")}
        returning q.delivery_id, q.account_id, q.endpoint_id, q.notification_id, q.attempt, q.attempted_at, locked.url, locked.position,
          locked.due_at
      )
      select taken.delivery_id as id, taken.account_id as "accountId", taken.endpoint_id as "endpointId", taken.attempt,
        taken.attempted_at::text as "attemptedAt", floor(extract(epoch from taken.attempted_at))::int8 as timestamp, taken.url,
        notification.public_id as "publicId", notification.envelope, secrets.sealed as "sealedSecrets",
        array(select n.network::text from webhook_networks n where n.account_id = taken.account_id) as "allowedNetworks"
      from taken
      left join lateral ${indexLookup(`
        select n.public_id, n.envelope
        from notifications n
        where n.id = taken.notification_id`)} as notification on true
      cross join lateral (
        select coalesce(array_agg(s.sealed order by s.expires_at desc nulls first), '{}') as sealed
        from webhook_secrets s
        where s.endpoint_id = taken.endpoint_id
          and (s.expires_at is null or s.expires_at > statement_timestamp())
      ) as secrets
      order by taken.position, taken.due_at, taken.delivery_id`,
    values: [
      claim.maxDeliveries,
      leaseSeconds,
      uuidArray([...claim.answered]),
      uuidArray([...claim.fastEndpoints]),
      uuidArray([...claim.leasedOfFast]),
    ],
    oneAtATime: "webhook claims",
    mayBeUndone: true,
  });
}

/** SQL: the oldest due deliveries of the endpoint `open` with this priority. */
function oldestDue(priority: number, limit: string): string {
  return `(
            select q.delivery_id, q.due_at, q.priority
            from webhook_queue q
            where q.state = 'pending'
              and q.endpoint_id = open.id
              and q.priority = ${priority}
              and q.due_at <= statement_timestamp()
            order by q.due_at, q.delivery_id
            limit ${limit}
          )`;
}
