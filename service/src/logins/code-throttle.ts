import { createHmac } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { LoginThrottle } from "./login-throttle.ts";

export const codesPerUser = 5;
const windowMinutes = 15;

/**
 * Limits wrong codes per user, over all addresses: six digits could be guessed from many. Only a caller with the right password, or
 * with a session of the user, gets here, so others cannot lock a user out. Counts before the code is checked, as `countAttempt` does.
 */
export async function countCode(db: Queryable, throttle: LoginThrottle, userId: string): Promise<void> {
  const [row] = await db.query<{ attempts: number; secondsLeft: number }>({
    name: "count-code-attempt",
    text: `
      insert into login_attempts as counted (bucket, attempts, window_ends_at)
      values ($1, 1, now() + make_interval(mins => $2))
      on conflict (bucket) do update
      set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
          window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                else counted.window_ends_at end
      returning attempts, ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"`,
    values: [bucketOf(throttle, userId), windowMinutes],
  });
  if (row === undefined || row.attempts <= codesPerUser) return;
  const retryAfterSeconds = Math.max(1, row.secondsLeft);
  const message = `Too many wrong codes. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`;
  throw new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
}

export async function clearCodes(db: Queryable, throttle: LoginThrottle, userId: string): Promise<void> {
  await db.query({
    name: "clear-code-attempts",
    text: `
      delete from login_attempts
      where bucket = $1`,
    values: [bucketOf(throttle, userId)],
  });
}

function bucketOf({ key }: LoginThrottle, userId: string): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["codes of a user", userId]))
    .digest();
}
