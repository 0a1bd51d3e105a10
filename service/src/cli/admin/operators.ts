import { listOperators, setOperator } from "../../accounts/operator-store.ts";
import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { operatorLoginHours } from "../../logins/operator-login.ts";
import { aligned, say } from "../../plain-text.ts";

export interface OperatorOptions {
  email: string;
  off?: true;
}

export async function runSetOperator(db: Database, { email, off }: OperatorOptions): Promise<void> {
  const change = await setOperator(db, email, off !== true, commandLineActor());
  if (change === undefined) throw new AppError("NOT_FOUND", `There is no user with the email ${email}.`);
  if (off === true) {
    const before = change.wasOperator ? "is no longer an operator" : "was not an operator";
    return say(`${email} ${before}. The operator routes refuse this user from the next request on.`);
  }
  const before = change.wasOperator ? "was already an operator" : "is an operator now";
  say(
    `${email} ${before} and sees all accounts of this installation. The operator routes need a log-in with a code of the authenticator ` +
      `app, made within the last ${operatorLoginHours} hours.${change.hasTotp ? "" : `\n${withoutTotp}`}`,
  );
}

const withoutTotp =
  "This user has no two-factor authentication yet. Whoever knows the password can set it up: let the user do it now, and check with " +
  "`postern admin list-operators`.";

export async function runListOperators(db: Database): Promise<void> {
  const operators = await listOperators(db);
  if (operators.length === 0) return say("There is no operator. `postern admin set-operator` makes a user one.");
  const rows = operators.map(({ userId, email, hasTotp }) => [userId, hasTotp ? "on" : "off", email]);
  say(aligned([["ID", "TWO-FACTOR", "EMAIL"], ...rows]));
}
