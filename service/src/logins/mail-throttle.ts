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
  /** Above it the caller skips the mail, and the answer does not show that. */
  isSilent?: true;
}

/**
 * Counts before anything else is looked up, so that known and unknown addresses get the same 429. False when a silent cap is exceeded: the
 * caller then sends no mail.
 */
export async function countMail(db: Queryable, { key }: LoginThrottle, caps: MailCap[]): Promise<boolean> {
  const counted = caps.map(({ bucket, perHour, isSilent = false }) => {
    return {
      perHour,
      isSilent,
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
  const above = rows.flatMap((row) => {
    const cap = counted.find(({ bucket }) => bucket.equals(row.bucket));
    return cap !== undefined && row.attempts > cap.perHour ? [{ ...row, isSilent: cap.isSilent }] : [];
  });
  const exceeded = above.filter(({ isSilent }) => !isSilent);
  if (exceeded.length === 0) return above.length === 0;
  const retryAfterSeconds = Math.max(1, ...exceeded.map(({ secondsLeft }) => secondsLeft));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  throw new AppError("RATE_LIMIT_EXCEEDED", `Too many such requests. Try again in ${minutes} min.`, {
    retryAfterSeconds,
  });
}
