import type { Database } from "../../db/database.ts";

export interface ForeignPerson {
  email: string;
  /** What the other person in the target has too. */
  has: "email" | "oidc-identity";
}

/** Members whose email or OIDC identity belongs to another user of the target. The account cannot move until one of them changes. */
export async function findForeignPeople(
  source: Database,
  target: Database,
  accountId: string,
): Promise<ForeignPerson[]> {
  const people = await source.query<{ id: string; email: string; issuer: string | null; subject: string | null }>({
    name: "read-people-of-account",
    text: `
      select u.id, u.email, o.issuer, o.subject
      from memberships m
      join users u on u.id = m.user_id
      left join oidc_identities o on o.user_id = u.id
      where m.account_id = $1
      order by u.email`,
    values: [accountId],
  });
  return target.query<ForeignPerson>({
    name: "find-foreign-people",
    text: `
      select given.email, 'email' as has
      from json_to_recordset($1::json) as given (id uuid, email text)
      join users u on u.email = given.email and u.id <> given.id
      union all
      select given.email, 'oidc-identity'
      from json_to_recordset($1::json) as given (id uuid, email text, issuer text, subject text)
      join oidc_identities o on o.issuer = given.issuer and o.subject = given.subject and o.user_id <> given.id
      order by email`,
    values: [JSON.stringify(people)],
  });
}
