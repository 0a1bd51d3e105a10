import { createHmac, type KeyObject } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { tokenSubkey } from "../crypto/token-subkey.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Secret } from "../secret.ts";

export const attemptsPerAddress = 50;
export const attemptsPerUserAndAddress = 5;
const windowMinutes = 15;

/**
 * Limits failed log-ins per address, and per user and address. There is no limit per user alone: anyone who knows an
 * email could use it to lock the owner out.
 */
export interface LoginThrottle {
  key: KeyObject;
}

export function createLoginThrottle(secret: Secret): LoginThrottle {
  return { key: tokenSubkey(secret, "login-throttle") };
}

interface Attempt {
  address: string;
  email: string;
}

/** Counts before the password is checked, so that concurrent attempts cannot exceed the limit. */
export async function countAttempt(db: Queryable, throttle: LoginThrottle, attempt: Attempt): Promise<void> {
  const [address, userAndAddress] = buckets(throttle, attempt);
  const rows = await db.query<{ attempts: number; isAddress: boolean; secondsLeft: number }>({
    name: "count-login-attempt",
    text: `
      with past as (
        delete from login_attempts
        where bucket in (
          select bucket
          from login_attempts
          where window_ends_at <= now() and bucket not in ($1, $2)
          limit 20
          for update skip locked)
      )
      insert into login_attempts as counted (bucket, attempts, window_ends_at)
      select bucket, 1, now() + make_interval(mins => $3)
      from unnest(array[$1, $2]::bytea[]) as bucket
      order by bucket
      on conflict (bucket) do update
      set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
          window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                else counted.window_ends_at end
      returning attempts, bucket = $1 as "isAddress",
        ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"`,
    values: [address, userAndAddress, windowMinutes],
  });
  const exceeded = rows.filter((row) => row.attempts > limitOf(row));
  if (exceeded.length === 0) return;
  const retryAfterSeconds = Math.max(1, ...exceeded.map((row) => row.secondsLeft));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  throw new AppError("RATE_LIMIT_EXCEEDED", `Too many failed log-ins. Try again in ${wait}.`, {
    retryAfterSeconds,
  });
}

/**
 * After a successful log-in: takes the attempt back from the address, and resets the user's count at that address. Locks
 * the rows in the same order as `countAttempt`; otherwise concurrent log-ins of one user would deadlock.
 */
export async function clearAttempts(db: Queryable, throttle: LoginThrottle, attempt: Attempt): Promise<void> {
  const [address, userAndAddress] = buckets(throttle, attempt);
  await db.query({
    name: "clear-login-attempts",
    text: `
      with locked as materialized (
        select bucket
        from login_attempts
        where bucket in ($1, $2)
        order by bucket
        for update
      ), cleared as (
        delete from login_attempts
        where bucket in (select bucket from locked where bucket = $2)
      )
      update login_attempts
      set attempts = greatest(0, attempts - 1)
      where bucket in (select bucket from locked where bucket = $1)`,
    values: [address, userAndAddress],
  });
}

function limitOf(row: { isAddress: boolean }): number {
  return row.isAddress ? attemptsPerAddress : attemptsPerUserAndAddress;
}

/** The attempts of a user, known or not, at an address. */
export function userBucket(throttle: LoginThrottle, attempt: Attempt): Buffer {
  return buckets(throttle, attempt)[1];
}

function buckets({ key }: LoginThrottle, { address, email }: Attempt): [Buffer, Buffer] {
  const block = addressBlock(address);
  const bucketOf = (...parts: string[]) => createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  return [bucketOf(block), bucketOf(block, email.toLowerCase())];
}

/** An IPv4 address, or the /64 of an IPv6 address: one subscriber controls a whole /64. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  const [head = "", tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros: string[] = new Array(8 - before.length - after.length).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}
