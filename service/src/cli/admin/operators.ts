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
  const { outcome } = change;
  if (outcome === "oidc") throw new AppError("CONFLICT", `${email} logs in by OIDC. ${localUser}`);
  if (outcome === "without-totp")
    throw new AppError("CONFLICT", `${email} has no two-factor authentication. ${enrolFirst}`);
  if (off === true) {
    const before = outcome === "changed" ? "is no longer an operator" : "was not an operator";
    return say(`${email} ${before}. The operator routes refuse this user from the next request on.`);
  }
  const before = outcome === "changed" ? "is an operator now" : "was already an operator";
  say(
    `${email} ${before} and sees all accounts of this installation. The operator routes need a log-in with a code of the authenticator ` +
      `app, made within the last ${operatorLoginHours} hours. A user who sets up two-factor authentication anew needs this command again.`,
  );
}

const localUser =
  "An operator logs in with a password and a code of an authenticator app: invite the person under another address, and give that user the " +
  "right.";
const enrolFirst =
  "Anyone who knows the password could set it up: let the user do it first (POST /api/v1/auth/totp), ask the user whether it is done, and run " +
  "this command again.";

export async function runListOperators(db: Database): Promise<void> {
  const operators = await listOperators(db);
  if (operators.length === 0) return say("There is no operator. `postern admin set-operator` makes a user one.");
  const rows = operators.map(({ userId, email, totp }) => [userId, totp, email]);
  say(aligned([["ID", "TWO-FACTOR", "EMAIL"], ...rows]));
}
