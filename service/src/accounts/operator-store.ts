import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { shownEmail, withAuditAccount } from "./user-store.ts";

interface OperatorChange {
  /** Refused: a user without TOTP, and one who logs in by OIDC and cannot have it here, never becomes an operator. */
  outcome: "changed" | "unchanged" | "without-totp" | "oidc";
}

/**
 * Only the command line may call it. Undefined when there is no such user. Gives the right again to an operator with a new enrolment of TOTP.
 * The times are those after the lock, as in `enableTotp`, so that their order is that of the commits. It waits for the removal of the user
 * from an account, which holds the lock on the user, and the other way around.
 */
export async function setOperator(
  db: Queryable,
  email: string,
  isOperator: boolean,
  actor: Actor = systemActor,
): Promise<OperatorChange | undefined> {
  const [row] = await db.query<OperatorChange>({
    name: "set-operator",
    text: `
      with before as materialized (
        select id, is_operator, operator_since,
          case
            when not $2 then case when is_operator then 'changed' else 'unchanged' end
            when is_oidc then 'oidc'
            when totp_enabled_at is null then 'without-totp'
            when totp_enabled_at <= operator_since then 'unchanged'
            else 'changed'
          end as outcome
        from users
        where email = lower($1)
        for no key update
      ), changed as (
        update users
        set is_operator = $2, operator_since = case when $2 then clock_timestamp() end
        from before
        where users.id = before.id
          and before.outcome = 'changed'
        returning users.id, users.account_id, ${shownEmail("users")} as email, before.is_operator as was_operator,
          before.operator_since as old_since, users.is_operator, users.operator_since
      ), ${auditEntry({
        action: "operator.change",
        actor: "$3",
        account: "audit_account.account_id",
        target: { kind: "user", id: "changed.id", name: "changed.email" },
        before: { is_operator: "changed.was_operator", since: "changed.old_since" },
        after: { is_operator: "changed.is_operator", since: "changed.operator_since" },
        from: withAuditAccount("changed"),
      })}
      select outcome
      from before`,
    values: [email, isOperator, JSON.stringify(actor)],
  });
  return row;
}

export interface Operator {
  userId: string;
  email: string;
  /** `anew`: set up since the command line gave the right, which does not hold until it gives it again. */
  totp: "on" | "off" | "anew";
}

const maxListed = 1000;

export function listOperators(db: Queryable): Promise<Operator[]> {
  return db.query<Operator>({
    name: "list-operators",
    text: `
      select id as "userId", email,
        case when totp_enabled_at is null then 'off' when totp_enabled_at > operator_since then 'anew' else 'on' end as totp
      from users
      where is_operator
      order by email
      limit ${maxListed}`,
  });
}
