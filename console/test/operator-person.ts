import { setOperator } from "../../service/src/accounts/operator-store.ts";
import type { Database } from "../../service/src/db/database.ts";
import { change } from "../../service/test/send-rows.ts";
import type { Person } from "./person.ts";

/**
 * Gives a person who is already logged in the flag of an operator, and that login the code of an authenticator app. Stored directly, to save
 * the cost of enrolment and of a second log-in. Later log-ins of the person need a code that nobody has.
 */
export async function makeOperator(db: Database, person: Person, { withCode = true } = {}): Promise<void> {
  await change(db, "update users set totp_enabled_at = now() - interval '1 day' where id = $1", [person.id]);
  if (withCode) await change(db, "update logins set totp_login_at = now() where user_id = $1", [person.id]);
  await setOperator(db, person.email, true);
}
