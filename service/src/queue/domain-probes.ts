import { isStopped } from "../accounts/account-hold.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { tenantMissing } from "./denied-domains.ts";

/** Probes do not crowd out other mail: so many domains may be under probe in any minute. A domain that recovers makes room. */
const maxProbed = 60;

/** SQL: the probe of the domain `d` waits for its claim or its answer. */
const isUnderWay = `exists ${indexLookup(`
  select
  from send_queue q
  where q.id = d.probe_send_id and q.state in ('ready', 'leased')`)}`;

/** SQL: the domain `d` has parked mail, locked or not, or its probe is still in the queue. */
const hasMail = `(
  exists ${indexLookup("select from send_queue q where q.id = d.probe_send_id")}
  or exists ${indexLookup(`select from send_queue q where ${isParkedMailOf("d")}`)}
)`;

/**
 * parked → ready, for one send of each denied domain whose probe is due: the one that was parked first, so that the probes of a
 * domain are different sends. It goes to the head of the queue, or it would wait behind a backlog while its domain has long recovered,
 * and a probe that waits for its claim is not replaced. A domain without mail is no longer denied: its next send is the probe.
 * Serves all accounts. Returns the number of probes.
 *
 * 1. `probed`: how many domains were probed within the last minute and are still denied, or have a probe that is still under way.
 * 2. `due`: as many other domains as that leaves room for, longest due first. A probe time far ahead is not ours: the clock of the
 *    server was set back. Of held and suspended accounts only domains without mail.
 *    Not those that wait for their SES tenant: SES would refuse the probe.
 * 3. `chosen`: the probe of each domain; none if it has no parked mail, or another transaction has locked it.
 * 4. A domain that has mail but no new probe keeps the old one for another minute: it waits for a retry, or is in doubt.
 */
export async function takeDomainProbes(db: Queryable, mode: Mode, usesTenants = false): Promise<number> {
  const rows = await db.query<{ sendId: string | null }>({
    name: "take-domain-probes",
    text: `
      with probed as materialized (
        select count(*) as domains
        from domains d
        where d.denied_since is not null and d.probe_send_id is not null
          and (d.probe_at > now() or ${isUnderWay})
      ), due as materialized (
        select d.id, d.account_id, d.domain_name, ${hasMail} as has_mail
        from domains d
        where d.denied_since is not null
          and (d.probe_at <= now() or d.probe_at > now() + interval '2 minutes')
          and not ${isUnderWay}
          and not ($3 and d.tenant_ready_at is null and d.denial_code = '${tenantMissing}')
          and (
            exists ${indexLookup(`
              select
              from accounts a
              where a.id = d.account_id and not ${isStopped("a", "$1")}`)}
            or not ${hasMail}
          )
        order by d.probe_at
        limit greatest(0, $2 - (select domains from probed))
        for update of d skip locked
      ), chosen as materialized (
        select due.id as domain_id, due.has_mail, first_parked.id as send_id
        from due
        left join lateral (
          select q.id
          from send_queue q
          where ${isParkedMailOf("due")}
          order by q.due_at
          limit 1
          for update skip locked
        ) as first_parked on true
      ), released as (
        update send_queue q
        set state = 'ready', due_at = null,
            fair_at = least(q.fair_at + (now() - q.due_at), now(), (
              select head.fair_at
              from send_queue head
              where head.state = 'ready' and head.mode = $1
              order by head.fair_at
              limit 1
            )),
            retrying_since = least(q.retrying_since + (now() - q.due_at), retry_clock(q.mode))
        from chosen
        where ${equalByIndex("q.id", "chosen.send_id")}
      )
      update domains d
      set denied_since = case when chosen.has_mail then d.denied_since end,
          denial_code = case when chosen.has_mail then d.denial_code end,
          probe_at = case when chosen.has_mail then now() + interval '1 minute' end,
          probe_send_id = case when chosen.has_mail then coalesce(chosen.send_id, d.probe_send_id) end
      from chosen
      where d.id = chosen.domain_id
      returning chosen.send_id as "sendId"`,
    values: [mode, maxProbed, usesTenants],
  });
  return rows.filter(({ sendId }) => sendId !== null).length;
}

/** SQL: parked sends `q` of a domain. */
function isParkedMailOf(domain: string): string {
  return `q.state = 'parked' and q.mode = $1 and q.account_id = ${domain}.account_id and q.from_domain = ${domain}.domain_name`;
}
