import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";

/** Probes do not crowd out other mail: so many domains may be under probe in any minute. A domain that recovers makes room. */
const maxProbed = 60;

/**
 * parked → ready, for one send of each denied domain whose probe is due: the one that was parked first, so that the probes of a
 * domain are different sends. It goes no further ahead than a send that is accepted now. A domain without parked mail is no longer
 * denied: its next send is the probe. Serves all accounts. Returns the number of probes.
 *
 * 1. `probed`: how many domains were probed within the last minute and are still denied.
 * 2. `due`: as many other domains as that leaves room for, longest due first. A probe time far ahead is not ours: the clock of the
 *    server was set back.
 * 3. `chosen`: the probe of each domain; none if it has no parked mail.
 */
export async function takeDomainProbes(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query<{ sendId: string | null }>({
    name: "take-domain-probes",
    text: `
      with probed as materialized (
        select count(*) as domains
        from domains
        where denied_since is not null and probe_send_id is not null and probe_at > now()
      ), due as materialized (
        select d.id, d.account_id, d.domain_name
        from domains d
        where d.denied_since is not null
          and (d.probe_at <= now() or d.probe_at > now() + interval '2 minutes')
          and exists (
            select
            from accounts a
            where a.id = d.account_id and a.held_at is null and a.suspended_at is null
          )
        order by d.probe_at
        limit greatest(0, $2 - (select domains from probed))
        for update of d skip locked
      ), chosen as materialized (
        select due.id as domain_id, first_parked.id as send_id
        from due
        left join lateral (
          select q.id
          from send_queue q
          where q.state = 'parked' and q.mode = $1 and q.account_id = due.account_id and q.from_domain = due.domain_name
          order by q.due_at
          limit 1
          for update skip locked
        ) as first_parked on true
      ), released as (
        update send_queue q
        set state = 'ready', due_at = null, fair_at = least(q.fair_at + (now() - q.due_at), now()),
            retrying_since = least(q.retrying_since + (now() - q.due_at), retry_clock(q.mode))
        from chosen
        where ${equalByIndex("q.id", "chosen.send_id")}
      )
      update domains d
      set denied_since = case when chosen.send_id is not null then d.denied_since end,
          denial_code = case when chosen.send_id is not null then d.denial_code end,
          probe_at = case when chosen.send_id is not null then now() + interval '1 minute' end,
          probe_send_id = chosen.send_id
      from chosen
      where d.id = chosen.domain_id
      returning chosen.send_id as "sendId"`,
    values: [mode, maxProbed],
  });
  return rows.filter(({ sendId }) => sendId !== null).length;
}
