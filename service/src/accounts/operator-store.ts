import type { Queryable } from "../db/database.ts";

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
): Promise<OperatorChange | undefined> {
  const [row] = await db.query<OperatorChange>({
    name: "set-operator",
    text: `
      with before as materialized (
        select id, is_operator
        from users
        where email = lower($1)
        for no key update
      )
      update users
      set is_operator = $2
      from before
      where users.id = before.id
      returning before.is_operator as "wasOperator", users.totp_enabled_at is not null as "hasTotp"`,
    values: [email, isOperator],
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
