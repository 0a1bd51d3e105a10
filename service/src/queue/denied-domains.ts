import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { tenantNotAssociated } from "../provider/email-provider.ts";

/**
 * SES denies the identity or the configuration set of one domain: a policy does not allow it, or the set does not exist. Mail of
 * other domains goes out as usual.
 *
 * 1. The denied send is parked (`parkDenied`), and `denyDomain` notes the denial. `parkDeniedDomains` and claims park the
 *    other live sends of the domain.
 * 2. Once a minute `takeDomainProbes` makes one parked send ready, at the head of the queue, and names it as the probe; a claim leases
 *    it.
 * 3. `allowDomain` ends the denial when SES accepts a probe. `unparkSends` then releases the parked sends.
 * 4. A probe that proves nothing is returned (`returnDomainProbe`), and another send becomes the probe.
 *
 * With SES_TENANTS=on, mail of a domain whose tenant is not ready yet waits in the same way (`tenantMissing`).
 *
 * No step depends on the one before it having been completed: after a crash, the next probe decides.
 */

interface SendersDomain {
  accountId: string;
  domainName: string;
}

/** SQL: whether the live mail of the domain `d` is parked. A domain that is not verified has its own rule (`retryLater`). */
export const isDeniedDomain = "d.denied_since is not null and d.verification_status = 'Success'";

/** Returns whether this is news. A repeated denial writes nothing, so that many answers at once cost little. */
export async function denyDomain(
  db: Queryable,
  { accountId, domainName }: SendersDomain,
  code: string,
): Promise<boolean> {
  const rows = await db.query({
    name: "deny-domain",
    text: `
      update domains
      set denied_since = coalesce(denied_since, now()), denial_code = $3,
          probe_at = coalesce(probe_at, now() + interval '1 minute')
      where account_id = $1 and domain_name = $2
        and denial_code is distinct from $3
      returning id`,
    values: [accountId, domainName, code],
  });
  return rows.length > 0;
}

/** SES accepted mail of the domain. Returns how long it was denied; undefined when it was not. */
export async function allowDomain(
  db: Queryable,
  { accountId, domainName }: SendersDomain,
): Promise<{ deniedSeconds: number } | undefined> {
  const [row] = await db.query<{ deniedSeconds: number }>({
    name: "allow-domain",
    text: `
      with denied as materialized (
        select id, denied_since
        from domains
        where account_id = $1 and domain_name = $2
          and denied_since is not null
        for update
      )
      update domains d
      set denied_since = null, denial_code = null, probe_at = null, probe_send_id = null
      from denied
      where d.id = denied.id
      returning extract(epoch from now() - denied.denied_since)::float8 as "deniedSeconds"`,
    values: [accountId, domainName],
  });
  return row;
}

/** The probe proves nothing about the denial: another send becomes the probe without waiting a minute. */
export async function returnDomainProbe(db: Queryable, sendId: string, { accountId, domainName }: SendersDomain) {
  await db.query({
    name: "return-domain-probe",
    text: `
      update domains
      set probe_at = now(), probe_send_id = null
      where account_id = $1 and domain_name = $2
        and denied_since is not null
        and probe_send_id = $3`,
    values: [accountId, domainName, sendId],
  });
}

/** The denial code of a domain whose mail waits for its SES tenant. Postern gives it, not SES. */
export const tenantMissing = "TenantMissing";

/** Denials that concern the SES tenant of an account, with all its domains. */
const tenantDenials = [tenantNotAssociated, "SendingPausedException"];

/** A cause that concerns one domain rarely concerns three within this time. */
const widespreadDomains = 3;
const widespreadSeconds = 120;

/**
 * Holds the provider when the cause does not concern one domain alone: SES began to deny several domains within two minutes, and
 * accepted no mail in that time. Domains that have been denied for longer do not count, or the probes of three of them would hold
 * everybody in a quiet night, and neither do those that wait for their tenant. What SES says about a tenant counts once for its account. The
 * first probe is due immediately, and a probe that meets a denied domain is followed by the next: if the provider accepts other mail
 * after all, the hold lasts a second. Returns whether the hold is new.
 */
export async function holdIfWidespread(db: Queryable, mode: Mode): Promise<boolean> {
  const rows = await db.query({
    name: "hold-if-widespread",
    text: `
      update provider_state
      set hold_reason = 'operator', held_since = now(), probe_at = now()
      where mode = $1
        and hold_reason is null
        and (accepted_at is null or accepted_at <= now() - make_interval(secs => $3))
        and (
          select count(distinct case when denial_code = any ($5) then account_id::text else id::text end)
          from domains
          where denied_since > now() - make_interval(secs => $3) and denial_code <> $4
        ) >= $2
      returning mode`,
    values: [mode, widespreadDomains, widespreadSeconds, tenantMissing, tenantDenials],
  });
  return rows.length > 0;
}
