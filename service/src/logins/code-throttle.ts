import { createHmac } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { LoginThrottle } from "./login-throttle.ts";

export const codesPerUser = 5;
const windowMinutes = 15;
/** 2,600 guesses a year find a code with a probability of 0.8 %: three of the 1,000,000 codes are valid at a time. */
export const wrongCodesPerWeek = 50;

export interface CodeUse {
  userId: string;
  /** Log-ins need the password, other calls a session. They count apart, so that a stolen session cannot lock its owner out. */
  purpose: "log-in" | "session";
  /** Recovery codes cannot be guessed, so the week does not count them, and they work when it has too many wrong codes. */
  isRecovery: boolean;
}

/**
 * Limits wrong codes per user, over all addresses: six digits could be guessed from many. Only a caller with the right password, or
 * with a session of the user, gets here, so others cannot lock a user out. Counts before the code is checked, as `countAttempt` does. The
 * week counts only what the 15 minutes let through.
 */
export async function countCode(db: Queryable, throttle: LoginThrottle, use: CodeUse): Promise<void> {
  const [row] = await db.query<{ attempts: number; secondsLeft: number; inWeek: number | null; weekLeft: number }>({
    name: "count-code-attempt",
    text: `
      with recent as (
        insert into login_attempts as counted (bucket, attempts, window_ends_at)
        values ($1, 1, now() + make_interval(mins => $2))
        on conflict (bucket) do update
        set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
            window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                  else counted.window_ends_at end
        returning attempts, ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"
      ), week as (
        insert into code_attempts as counted (user_id, purpose, attempts, window_ends_at)
        select $3, $4, 1, now() + interval '7 days'
        from recent
        where recent.attempts <= $5
          and not $6::boolean
        on conflict (user_id, purpose) do update
        set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
            window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                  else counted.window_ends_at end
        returning attempts, ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"
      )
      select recent.attempts, recent."secondsLeft", week.attempts as "inWeek", week."secondsLeft" as "weekLeft"
      from recent
      left join week on true`,
    values: [bucketOf(throttle, use), windowMinutes, use.userId, use.purpose, codesPerUser, use.isRecovery],
  });
  if (row === undefined) return;
  if (row.attempts > codesPerUser) {
    const minutes = Math.ceil(Math.max(1, row.secondsLeft) / 60);
    throw tooMany(`Too many wrong codes. Try again in ${minutes} minutes.`, row.secondsLeft);
  }
  if (row.inWeek !== null && row.inWeek > wrongCodesPerWeek) {
    throw tooMany("Too many wrong codes in a week. Send a recovery_code, and change the password.", row.weekLeft);
  }
}

function tooMany(message: string, secondsLeft: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds: Math.max(1, secondsLeft) });
}

/** After a right code: clears the 15 minutes, and takes only this code back from the week, which keeps the wrong ones. */
export async function clearCodes(db: Queryable, throttle: LoginThrottle, use: CodeUse): Promise<void> {
  await db.query({
    name: "clear-code-attempts",
    text: `
      with week as (
        update code_attempts
        set attempts = greatest(0, attempts - 1)
        where user_id = $2
          and purpose = $3
          and not $4::boolean
      )
      delete from login_attempts
      where bucket = $1`,
    values: [bucketOf(throttle, use), use.userId, use.purpose, use.isRecovery],
  });
}

function bucketOf({ key }: LoginThrottle, { userId, purpose }: CodeUse): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["codes of a user", userId, purpose]))
    .digest();
}
