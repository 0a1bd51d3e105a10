import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { shownEmail, withAuditAccount } from "./user-store.ts";

export interface OperatorChange {
  wasOperator: boolean;
  hasTotp: boolean;
}

/**
 * Only the command line may call it. Undefined when there is no such user. It waits for the removal of the user from an account, which holds
 * the lock on the user, and the other way around.
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
        select id, is_operator
        from users
        where email = lower($1)
        for no key update
      ), changed as (
        update users
        set is_operator = $2
        from before
        where users.id = before.id
        returning users.id, users.account_id, ${shownEmail("users")} as email, before.is_operator as was_operator,
          users.is_operator, users.totp_enabled_at is not null as has_totp
      ), ${auditEntry({
        action: "operator.change",
        actor: "$3",
        account: "audit_account.account_id",
        target: { kind: "user", id: "changed.id", name: "changed.email" },
        before: { is_operator: "changed.was_operator" },
        after: { is_operator: "changed.is_operator" },
        from: `${withAuditAccount("changed")} where changed.is_operator <> changed.was_operator`,
      })}
      select was_operator as "wasOperator", has_totp as "hasTotp"
      from changed`,
    values: [email, isOperator, JSON.stringify(actor)],
  });
  return row;
}

export interface Operator {
  userId: string;
  email: string;
  hasTotp: boolean;
}

const maxListed = 1000;

export function listOperators(db: Queryable): Promise<Operator[]> {
  return db.query<Operator>({
    name: "list-operators",
    text: `
      select id as "userId", email, totp_enabled_at is not null as "hasTotp"
      from users
      where is_operator
      order by email
      limit ${maxListed}`,
  });
}
