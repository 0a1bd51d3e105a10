import type { Transaction } from "../db/database.ts";

/** May the person of a login act as an operator, and what is missing if not? */
export type OperatorState =
  | "operator"
  | "not-an-operator"
  | "totp-off"
  | "new-totp"
  | "login-without-totp"
  | "login-too-old";

/** Of the log-in. A refresh or a switch of the account does not prolong it. */
export const operatorLoginHours = 12;

/**
 * SQL, over rows of logins and users:
 *
 * 1. The person has the flag now, and the command line gave it while the present enrolment of TOTP was on.
 * 2. TOTP is on, and the log-in used a code of it. A recovery code is a way back into the account and no proof of the app. A log-in from
 *    before TOTP was last turned on used another secret.
 * 3. The log-in is younger than `operatorLoginHours`.
 */
export function operatorState(login: string, user: string): string {
  return `case
            when not ${user}.is_operator then 'not-an-operator'
            when ${user}.totp_enabled_at is null then 'totp-off'
            when ${user}.totp_enabled_at > ${user}.operator_since then 'new-totp'
            when ${login}.totp_login_at is null or ${login}.totp_login_at < ${user}.totp_enabled_at then 'login-without-totp'
            when ${login}.totp_login_at <= now() - interval '${operatorLoginHours} hours' then 'login-too-old'
            else 'operator' end`;
}

/** For an action of the same transaction: whoever takes the flag waits for its commit. Undefined when the login has ended. */
export async function lockOperator(tx: Transaction, loginId: string): Promise<OperatorState | undefined> {
  const [row] = await tx.query<{ state: OperatorState }>({
    name: "lock-operator",
    text: `
      select ${operatorState("logins", "users")} as state
      from logins
      join users on users.id = logins.user_id
      where logins.id = $1
        and logins.expires_at > now()
      for share of users`,
    values: [loginId],
  });
  return row?.state;
}
