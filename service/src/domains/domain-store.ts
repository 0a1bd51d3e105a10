import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import type { Identity } from "../provider/email-provider.ts";
import type { Domain } from "./domain.ts";

export const domainColumns = `
        id, account_id as "accountId", domain_name as "domainName", challenge_token as "challengeToken",
        configuration_set_name as "configurationSetName", verification_status as "verificationStatus",
        identity_arn as "identityArn", dkim_tokens as "dkimTokens", dkim_zone as "dkimZone",
        record_checks as "recordChecks", last_checked_at as "lastCheckedAt", next_check_at as "nextCheckAt",
        mail_from_subdomain as "mailFromSubdomain", mail_from_status as "mailFromStatus"`;

interface Draft {
  domainName: string;
  challengeToken: string;
  configurationSetName: string;
}

export type DraftDecision =
  /** `until` identifies this use of the draft for `releaseDraft`. */
  | { kind: "drafted"; id: number; until: string }
  /** The account has already registered the name, or another account has verified it. */
  | { kind: "taken" }
  | { kind: "limit-reached"; limit: number }
  | { kind: "busy" };

/** More registrations of one account would take the slots and name locks that other accounts wait for. */
const maxInProgress = 3;

/** Creates a draft for the account, or finds the draft of an interrupted registration. */
export async function draftDomain(db: AccountDatabase, draft: Draft): Promise<DraftDecision> {
  const [row] = await db.query<{ kind: DraftDecision["kind"]; id: number; until: string; limit: number }>({
    name: "draft-domain",
    text: `
      with decided as materialized (
        select maximum, case
          when is_verified_elsewhere($2, $1) then 'taken'
          when exists (
            select from domains where account_id = $1 and domain_name = $2 and registered_at is not null
          ) then 'taken'
          when others >= maximum then 'limit-reached'
          when in_progress >= $5 then 'busy'
          else 'drafted' end as kind
        from room_for_domain($1, $2)
      ), drafted as (
        insert into domains (account_id, domain_name, challenge_token, configuration_set_name, registering_until)
        select $1, $2, $3, $4, clock_timestamp() + interval '30 seconds'
        from decided
        where kind = 'drafted'
        on conflict (account_id, domain_name) do update
        set configuration_set_name = excluded.configuration_set_name, registering_until = excluded.registering_until
        where domains.registered_at is null
        returning id, registering_until
      )
      select case when kind = 'drafted' and drafted.id is null then 'taken' else kind end as kind,
        drafted.id, drafted.registering_until::text as until, maximum as limit
      from decided
      left join drafted on true`,
    values: [db.accountId, draft.domainName, draft.challengeToken, draft.configurationSetName, maxInProgress],
  });
  if (row === undefined) throw new Error("the statement decided nothing");
  return row;
}

/** The draft of a failed registration stays for the next try, but no longer counts. A later request that uses it keeps its own mark. */
export async function releaseDraft(db: AccountDatabase, { id, until }: { id: number; until: string }): Promise<void> {
  await db.query({
    name: "release-draft",
    text: `
      update domains
      set registering_until = null
      where account_id = $1
        and id = $2
        and registered_at is null
        and registering_until = $3::timestamptz`,
    values: [db.accountId, id, until],
  });
}

/** Turns the draft into a domain. Returns undefined when the draft no longer exists. */
export async function completeDomain(db: AccountDatabase, id: number, identity: Identity): Promise<Domain | undefined> {
  const [row] = await db.query<Domain>({
    name: "complete-domain",
    text: `
      with registered as (
        update domains
        set registered_at = now(), registering_until = null, next_check_at = now(), identity_arn = $3, dkim_tokens = $4, dkim_zone = $5
        where account_id = $1
          and id = $2
          and registered_at is null
        returning ${domainColumns}
      ), ${auditEntry({
        action: "domain.register",
        actor: "$6",
        target: { kind: "domain", id: "registered.id", name: 'registered."domainName"' },
        after: { domain_name: 'registered."domainName"', verification_status: 'registered."verificationStatus"' },
        from: "registered",
      })}
      select *
      from registered`,
    values: [db.accountId, id, identity.arn, identity.dkimTokens, identity.dkimZone, JSON.stringify(db.actor)],
  });
  return row;
}

export async function listDomains(db: AccountDatabase): Promise<Domain[]> {
  return db.query<Domain>({
    name: "list-domains",
    text: `
      select ${domainColumns}
      from domains
      where account_id = $1
        and registered_at is not null
      order by id`,
    values: [db.accountId],
  });
}

export async function findDomain(db: AccountDatabase, id: number): Promise<Domain | undefined> {
  const [row] = await db.query<Domain>({
    name: "find-domain",
    text: `
      select ${domainColumns}
      from domains
      where account_id = $1
        and id = $2
        and registered_at is not null`,
    values: [db.accountId, id],
  });
  return row;
}

/** Serves all accounts: each account that registered the name has its own token. */
export async function findChallengeTokens(db: Queryable, domainName: string): Promise<string[]> {
  const rows = await db.query<{ challengeToken: string }>({
    name: "find-challenge-tokens",
    text: `
      select challenge_token as "challengeToken"
      from domains
      where domain_name = $1
        and registered_at is not null
      order by id`,
    values: [domainName],
  });
  return rows.map((row) => row.challengeToken);
}

/** Deletes the domain and records an identity removal in one commit. Returns undefined when there is no such domain. */
export async function deleteDomain(db: AccountDatabase, id: number): Promise<string | undefined> {
  const [row] = await db.query<{ domainName: string }>({
    name: "delete-domain",
    text: `
      with removed as (
        delete from domains
        where account_id = $1
          and id = $2
          and registered_at is not null
        returning id, domain_name, verification_status
      ), ${auditEntry({
        action: "domain.remove",
        actor: "$3",
        target: { kind: "domain", id: "removed.id", name: "removed.domain_name" },
        before: { domain_name: "removed.domain_name", verification_status: "removed.verification_status" },
        from: "removed",
      })}
      select domain_name as "domainName", note_identity_removal(domain_name)
      from removed`,
    values: [db.accountId, id, JSON.stringify(db.actor)],
  });
  return row?.domainName;
}

export const verifyPauseSeconds = 10;

/**
 * Makes the domain due now. Returns undefined if there is none, or the last request is younger than
 * `verifyPauseSeconds`.
 */
export async function requestCheck(db: AccountDatabase, id: number): Promise<Domain | undefined> {
  const [row] = await db.query<Domain>({
    name: "request-domain-check",
    text: `
      with requested as (
        update domains
        set next_check_at = now(), check_requested_at = now()
        where account_id = $1
          and id = $2
          and registered_at is not null
          and (check_requested_at is null or check_requested_at <= now() - make_interval(secs => $3))
        returning ${domainColumns}
      ), ${auditEntry({
        action: "domain.verify",
        actor: "$4",
        target: { kind: "domain", id: "requested.id", name: 'requested."domainName"' },
        before: { verification_status: 'requested."verificationStatus"' },
        from: "requested",
      })}
      select *
      from requested`,
    values: [db.accountId, id, verifyPauseSeconds, JSON.stringify(db.actor)],
  });
  return row;
}
