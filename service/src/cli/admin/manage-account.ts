import { resumeAccount, suspendAccount } from "../../accounts/account-store.ts";
import { setLimits } from "../../accounts/limit-store.ts";
import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { resetPassword } from "../../logins/reset-password.ts";
import { resetTotp } from "../../logins/reset-totp.ts";
import { say } from "../../plain-text.ts";
import { parkSends } from "../../queue/parked-sends.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export async function runResetPassword(db: Database, email: string): Promise<void> {
  const password = await resetPassword(db, email, commandLineActor());
  say(`New password of ${email}: ${password}\nAll logins of this user have ended. The password is not shown again.`);
}

export async function runDisableTotp(db: Database, email: string): Promise<void> {
  const wasEnabled = await resetTotp(db, email, commandLineActor());
  say(
    wasEnabled
      ? `Two-factor authentication of ${email} is off. All logins of this user have ended.`
      : `${email} had no two-factor authentication. All logins of this user have ended.`,
  );
}

export async function runSuspend(db: Database, email: string): Promise<void> {
  const { id: accountId } = await getAccountByIdOrEmail(db, email);
  await suspendAccount(db, accountId, commandLineActor());
  await parkSends(db, accountId);
  say(
    "The account is suspended. Its keys and tokens are refused, and its queued mail is parked.\n" +
      `To undo: \`postern admin resume --email ${email}\``,
  );
}

export async function runResume(db: Database, email: string): Promise<void> {
  await resumeAccount(db, (await getAccountByIdOrEmail(db, email)).id, commandLineActor());
  say("The account is active again. Its keys and tokens are accepted.");
}

export interface LimitOptions {
  email: string;
  perSecond?: number;
  per10Seconds?: number;
  perMinute?: number;
}

export async function runSetLimits(db: Database, { email, ...limits }: LimitOptions): Promise<void> {
  const { id } = await getAccountByIdOrEmail(db, email);
  const changed = await setLimits(db, id, limits, commandLineActor());
  const { perSecond, per10Seconds, perMinute } = changed;
  say(`Limits are now ${perSecond} per second, ${per10Seconds} per 10 seconds, ${perMinute} per minute.`);
}
