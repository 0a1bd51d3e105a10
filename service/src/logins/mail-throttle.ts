import { createHmac } from "node:crypto";
import { byteaArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { LoginThrottle } from "./login-throttle.ts";

const windowMinutes = 60;

export interface MailCap {
  /** What is counted, such as the kind of mail and its target. */
  bucket: string[];
  perHour: number;
}

/** Counts before anything else is looked up, so that known and unknown addresses get the same 429. */
export async function countMail(db: Queryable, { key }: LoginThrottle, caps: MailCap[]): Promise<void> {
  const counted = caps.map(({ bucket, perHour }) => {
    return {
      perHour,
      bucket: createHmac("sha256", key)
        .update(JSON.stringify(["mail", ...bucket]))
        .digest(),
    };
  });
  const rows = await db.query<{ bucket: Buffer; attempts: number; secondsLeft: number }>({
    name: "count-mails",
    text: `
      insert into login_attempts as counted (bucket, attempts, window_ends_at)
      select bucket, 1, now() + make_interval(mins => $2)
      from unnest($1::bytea[]) as bucket
      order by bucket
      on conflict (bucket) do update
      set attempts = case when counted.window_ends_at <= now() then 1 else counted.attempts + 1 end,
          window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at
                                else counted.window_ends_at end
      returning bucket, attempts, ceil(extract(epoch from window_ends_at - now()))::int as "secondsLeft"`,
    values: [byteaArray(counted.map(({ bucket }) => bucket)), windowMinutes],
  });
  const exceeded = rows.filter((row) => row.attempts > limitOf(row.bucket));
  if (exceeded.length === 0) return;
  const retryAfterSeconds = Math.max(1, ...exceeded.map(({ secondsLeft }) => secondsLeft));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  throw new AppError("RATE_LIMIT_EXCEEDED", `Too many such requests. Try again in ${minutes} min.`, {
    retryAfterSeconds,
  });

  function limitOf(bucket: Buffer): number {
    return counted.find((each) => each.bucket.equals(bucket))?.perHour ?? 0;
  }
}
