import type { QuotaName, QuotaState } from "../../../accept/quota-states.ts";
import { AppError } from "../../../errors.ts";
import type { Mode } from "../../../mode.ts";
import { amountText, countText, durationText } from "../../../plain-text.ts";

const askOperator = "ask the operator of this installation for a higher quota";

/** Says which quota it is, its size, and what to do. */
export function quotaExceeded(quota: QuotaState, mode: Mode, recipients: number): AppError {
  const isTooLarge = quota.name !== "stored_content_bytes" && recipients > quota.limit;
  const text = isTooLarge ? tooLarge(quota, mode, recipients) : texts[quota.name](quota, mode, recipients);
  return new AppError("QUOTA_EXCEEDED", text, { retryAfterSeconds: quota.retryAfterSeconds });
}

function tooLarge({ name, limit, isTrial }: QuotaState, mode: Mode, recipients: number): string {
  const quota = name === "queued_recipients" ? "queued recipients" : `recipients a day${isTrial ? " on trial" : ""}`;
  return (
    `This send alone has ${amountText(recipients, "recipient")}, more than the quota of ${countText(limit)} ${quota} of ${mode} mail. ` +
    `Split it into smaller sends, or ${askOperator}.`
  );
}

const texts: Record<QuotaName, (quota: QuotaState, mode: Mode, recipients: number) => string> = {
  recipients_per_day: (quota, mode, recipients) => {
    const { limit, isTrial, retryAfterSeconds } = quota;
    const owner = isTrial ? "The account is on trial, with a quota of" : "The account has a quota of";
    return (
      `${owner} ${amountText(limit, "recipient")} of ${mode} mail a day, of which ${remaining(quota)} remain; this send has ` +
      `${countText(recipients)}. The quota has room again at 00:00 UTC, in ${durationText(retryAfterSeconds)}. Send the same request again ` +
      `then, or ask the operator of this installation ${isTrial ? "to end the trial" : "for a higher quota"}.`
    );
  },
  queued_recipients: ({ limit, used, retryAfterSeconds }, mode, recipients) =>
    `The account has a quota of ${amountText(limit, "queued recipient")} of ${mode} mail, and ${countText(used)} are queued; this send has ` +
    `${countText(recipients)}. The queue empties as mail is sent. Send the same request again after ${retryAfterSeconds} s, or ${askOperator}.`,
  stored_content_bytes: (quota, mode) =>
    `The account has a quota of ${amountText(quota.limit, "byte")} for the stored content of ${mode} mail, of which ${remaining(quota)} ` +
    `remain. Content is deleted when its retention ends. Send the same request again later, or ${askOperator}.`,
};

function remaining({ limit, used }: QuotaState): string {
  return countText(Math.max(0, limit - used));
}
