import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { isDeniedDomain } from "./denied-domains.ts";

const batchSize = 1_000;
const parkEveryMs = 5_000;

/** Parks mail of denied domains every five seconds: each run reads past the index entries of deleted sends at the queue head. */
export class DeniedDomainParking {
  #parkedAt = Number.NEGATIVE_INFINITY;
  readonly #db: Queryable;
  readonly #mode: Mode;
  readonly #clock: () => number;

  /** `clock` counts milliseconds and never jumps. */
  constructor(db: Queryable, mode: Mode, clock: () => number = () => performance.now()) {
    this.#db = db;
    this.#mode = mode;
    this.#clock = clock;
  }

  async parkIfDue(): Promise<void> {
    const now = this.#clock();
    if (now - this.#parkedAt < parkEveryMs) return;
    this.#parkedAt = now;
    await parkDeniedDomains(this.#db, this.#mode);
  }
}

/**
 * ready → parked, for the sends of denied domains among the first ones in the queue, except the probes. Claims would park them too,
 * but with the rate that other mail needs, and one at a time while the provider is held. Costs one lookup while no domain is denied.
 * Returns the number.
 *
 * `first_ready` steps through the index one send at a time. With the limit of the whole batch, PostgreSQL sorts all ready sends when it
 * expects few of them.
 */
export async function parkDeniedDomains(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query({
    name: "park-denied-domains",
    text: `
      with recursive first_ready as (
        (
          select 1 as position, id, account_id, from_domain, fair_at
          from send_queue
          where state = 'ready' and mode = $1
            and exists (select from domains where denied_since is not null)
          order by fair_at, id
          limit 1
        )
        union all
        select earlier.position + 1, next.id, next.account_id, next.from_domain, next.fair_at
        from first_ready earlier
        cross join lateral (
          select q.id, q.account_id, q.from_domain, q.fair_at
          from send_queue q
          where q.state = 'ready' and q.mode = $1 and (q.fair_at, q.id) > (earlier.fair_at, earlier.id)
          order by q.fair_at, q.id
          limit 1
        ) as next
        where earlier.position < $2
      ), found as materialized (
        select first_ready.id
        from first_ready
        cross join lateral ${indexLookup(`
          select
          from domains d
          where d.account_id = first_ready.account_id and d.domain_name = first_ready.from_domain
            and ${isDeniedDomain} and d.probe_send_id is distinct from first_ready.id`)} as domain
        order by first_ready.id
      ), still_ready as materialized (
        select q.id
        from found
        cross join lateral (
          select id
          from send_queue
          where id = found.id and state = 'ready'
          for update skip locked
        ) as q
      )
      update send_queue q
      set state = 'parked', due_at = now()
      from still_ready
      where ${equalByIndex("q.id", "still_ready.id")}
      returning q.id`,
    values: [mode, batchSize],
  });
  return rows.length;
}
