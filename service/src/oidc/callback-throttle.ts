import { createHmac } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { addressBlock, attemptsPerAddress, type LoginThrottle } from "../logins/login-throttle.ts";

const windowMinutes = 15;

/**
 * Counts a callback before the issuer is asked, so that concurrent ones cannot exceed the limit: each makes a call to the issuer with our
 * credentials, and anyone can start a log-in and invent its code. Apart from the log-ins by password, so that neither blocks the other.
 */
export async function countCallback(db: Queryable, throttle: LoginThrottle, address: string): Promise<void> {
  const [row] = await db.query<{ attempts: number; secondsLeft: number }>({
    name: "count-oidc-callback",
    text: `
      with past as (
        delete from login_attempts
        where bucket in (
          select bucket
          from login_attempts
          where window_ends_at <= now() and bucket <> $1
          limit 20
          for update skip locked)
      )
      insert into login_attempts as counted (bucket, attempts, window_ends_at)
      values ($1, 1, now() + make_interval(mins => $2))
      on conflict (bucket) do update
      set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
          window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                else counted.window_ends_at end
      returning attempts, ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"`,
    values: [bucketOf(throttle, address), windowMinutes],
  });
  if (row === undefined || row.attempts <= attemptsPerAddress) return;
  const retryAfterSeconds = Math.max(1, row.secondsLeft);
  throw new AppError("RATE_LIMIT_EXCEEDED", "Too many log-ins failed from your network. Try again in 15 minutes.", {
    retryAfterSeconds,
  });
}

/** For a callback that is no failure of the browser. */
export async function takeBackCallback(db: Queryable, throttle: LoginThrottle, address: string): Promise<void> {
  await db.query({
    name: "take-back-oidc-callback",
    text: `
      update login_attempts
      set attempts = greatest(0, attempts - 1)
      where bucket = $1`,
    values: [bucketOf(throttle, address)],
  });
}

function bucketOf({ key }: LoginThrottle, address: string): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["oidc-callback", addressBlock(address)]))
    .digest();
}
