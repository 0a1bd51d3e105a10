import { auditEntry } from "../../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../../db/database.ts";
import { accountsElsewhere } from "../accounts-elsewhere.ts";
import { type Domain, type MailFromRecord, mailFromRecordsOf, type VerificationStatus } from "../domain.ts";
import { domainColumns } from "../domain-store.ts";

export interface MailFromWish {
  id: number;
  accountId: string;
  domainName: string;
  mailFromSubdomain: string | null;
  /** Identifies the wish: a call for an earlier one does not count for it. */
  wishedAt: string;
  isApplied: boolean;
  secondsSinceWish: number;
}

const wishColumns = `
        id, account_id as "accountId", domain_name as "domainName", mail_from_subdomain as "mailFromSubdomain", mail_from_wished_at::text as "wishedAt",
        mail_from_is_applied as "isApplied", extract(epoch from now() - mail_from_wished_at)::float8 as "secondsSinceWish"`;

/**
 * Stores what the account wants, before SES is asked. If the request ends there, a worker asks SES after a minute. Returns undefined when
 * the account has no verified domain with this id: SES has one identity for all accounts, and only the verified one may change it.
 */
export async function storeMailFromWish(
  db: AccountDatabase,
  id: number,
  subdomain: string | null,
): Promise<Domain | undefined> {
  const [row] = await db.query<Domain>({
    name: "store-mail-from-wish",
    text: `
      with former as materialized (
        select id as former_id, mail_from_subdomain as former_subdomain
        from domains
        where account_id = $1
          and id = $2
          and verification_status = 'Success'
        for update
      ), wished as (
        update domains
        set mail_from_subdomain = $3,
            mail_from_status = case when $3::text is not null then 'Pending' end,
            mail_from_wished_at = clock_timestamp(),
            mail_from_is_applied = false,
            mail_from_due_at = now() + interval '1 minute'
        from former
        where domains.account_id = $1
          and domains.id = former.former_id
        returning ${domainColumns}
      ), ${auditEntry({
        action: "domain.mail-from-change",
        actor: "$4",
        target: { kind: "domain", id: "wished.id", name: 'wished."domainName"' },
        before: { mail_from_subdomain: "former.former_subdomain" },
        after: { mail_from_subdomain: 'wished."mailFromSubdomain"' },
        // A repeat applies the wish again and changes nothing of it.
        from: `wished join former on former.former_id = wished.id
        where former.former_subdomain is distinct from wished."mailFromSubdomain"`,
      })}
      select *
      from wished`,
    values: [db.accountId, id, subdomain, JSON.stringify(db.actor)],
  });
  return row;
}

/** The current wish of a verified domain, which may be newer than the one that the caller knows. */
export async function findMailFromWish(
  db: Queryable,
  { accountId, id }: { accountId: string; id: number },
): Promise<MailFromWish | undefined> {
  const [row] = await db.query<MailFromWish>({
    name: "find-mail-from-wish",
    text: `
      select ${wishColumns}
      from domains
      where account_id = $1
        and id = $2
        and verification_status = 'Success'
        and mail_from_wished_at is not null`,
    values: [accountId, id],
  });
  return row;
}

/** SQL. A time further ahead than a day is not ours: the clock of the server was set back. */
const isDue = `mail_from_due_at is not null
          and (mail_from_due_at <= now() or mail_from_due_at > now() + interval '25 hours')
          and mail_from_wished_at is not null
          and verification_status = 'Success'
          and account_id not in ${accountsElsewhere}`;

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const dueMailFrom = `
        select
        from domains
        where ${isDue}
        limit 1`;

/**
 * Serves all accounts. Takes the domain that has been due longest, and makes it due again in a minute, for the case that this try fails
 * or the process crashes.
 */
export async function takeDueMailFrom(db: Queryable): Promise<MailFromWish | undefined> {
  const [row] = await db.query<MailFromWish>({
    name: "take-due-mail-from",
    text: `
      with due as materialized (
        select id as due_id
        from domains
        where ${isDue}
        order by mail_from_due_at
        limit 1
        for update skip locked
      )
      update domains
      set mail_from_due_at = now() + interval '1 minute'
      from due
      where domains.id = due.due_id
      returning ${wishColumns}`,
  });
  return row;
}

/** No call was made for lack of a control-call token: the domain need not wait a minute. */
export async function returnDueMailFrom(db: Queryable, { accountId, id, wishedAt }: MailFromWish): Promise<void> {
  await db.query({
    name: "return-due-mail-from",
    text: `
      update domains
      set mail_from_due_at = now()
      where account_id = $1
        and id = $2
        and mail_from_wished_at = $3::timestamptz`,
    values: [accountId, id, wishedAt],
  });
}

/** A later wish stays due. */
export async function markMailFromApplied(db: Queryable, { accountId, id, wishedAt }: MailFromWish): Promise<void> {
  await db.query({
    name: "mark-mail-from-applied",
    text: `
      update domains
      set mail_from_is_applied = true,
          mail_from_due_at = case when mail_from_subdomain is not null then now() + interval '30 seconds' end
      where account_id = $1
        and id = $2
        and mail_from_wished_at = $3::timestamptz`,
    values: [accountId, id, wishedAt],
  });
}

/** SES has another MAIL FROM domain than the wish, such as after an operator changed it there. */
export async function markMailFromLost(db: Queryable, { accountId, id, wishedAt }: MailFromWish): Promise<void> {
  await db.query({
    name: "mark-mail-from-lost",
    text: `
      update domains
      set mail_from_is_applied = false, mail_from_due_at = now(),
          mail_from_status = case when mail_from_subdomain is not null then 'Pending' end
      where account_id = $1
        and id = $2
        and mail_from_wished_at = $3::timestamptz`,
    values: [accountId, id, wishedAt],
  });
}

export async function storeMailFromStatus(
  db: Queryable,
  { accountId, id, wishedAt }: MailFromWish,
  { status, nextCheckSeconds }: { status: VerificationStatus; nextCheckSeconds: number },
): Promise<void> {
  await db.query({
    name: "store-mail-from-status",
    text: `
      update domains
      set mail_from_status = $4, mail_from_due_at = now() + make_interval(secs => $5)
      where account_id = $1
        and id = $2
        and mail_from_wished_at = $3::timestamptz
        and mail_from_subdomain is not null`,
    values: [accountId, id, wishedAt, status, nextCheckSeconds],
  });
}

/** Serves all accounts: the records of the MAIL FROM domain with this name, which the verified domain decides. */
export async function findMailFromRecords(db: Queryable, name: string): Promise<MailFromRecord[]> {
  const [row] = await db.query<Pick<Domain, "domainName" | "mailFromSubdomain" | "identityArn">>({
    name: "find-mail-from-records",
    text: `
      select domain_name as "domainName", mail_from_subdomain as "mailFromSubdomain", identity_arn as "identityArn"
      from domains
      where domain_name = any($1::text[])
        and mail_from_subdomain || '.' || domain_name = $2
        and verification_status = 'Success'`,
    values: [parentsOf(name), name],
  });
  return row === undefined ? [] : mailFromRecordsOf(row);
}

function parentsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
