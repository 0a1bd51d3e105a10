import type { AccountQuotas } from "../accounts/quota-store.ts";
import { nextDay } from "./quota-usage.ts";

/** What a send adds to the usage of its account. */
export interface QuotaCost {
  recipients: number;
  /** Recipients that are not suppressed. */
  queuedRecipients: number;
  contentBytes: number;
}

export type QuotaName = "recipients_per_day" | "queued_recipients" | "stored_content_bytes";

export interface QuotaState {
  name: QuotaName;
  limit: number;
  used: number;
  /** The limit is that of a trial. */
  isTrial: boolean;
  /** When a full quota can have room. */
  retryAfterSeconds: number;
}

const retryQueuedSeconds = 10;
/** Content is dropped by weeks; an operator may raise the quota at any time. */
const retryContentSeconds = 3_600;

/** The quotas that are set, with their usage. */
export function quotaStates(
  { recipientsPerDay, trial, queuedRecipients, storedContentBytes }: AccountQuotas,
  used: QuotaCost,
  nowMs: number,
): QuotaState[] {
  const isTrial = trial !== null && (recipientsPerDay === null || trial <= recipientsPerDay);
  const perDay = isTrial ? trial : recipientsPerDay;
  const untilMidnight = Math.max(1, Math.ceil((nextDay(nowMs) - nowMs) / 1000));
  const states = [
    { name: "recipients_per_day", limit: perDay, used: used.recipients, isTrial, retryAfterSeconds: untilMidnight },
    {
      name: "queued_recipients",
      limit: queuedRecipients,
      used: used.queuedRecipients,
      isTrial: false,
      retryAfterSeconds: retryQueuedSeconds,
    },
    {
      name: "stored_content_bytes",
      limit: storedContentBytes,
      used: used.contentBytes,
      isTrial: false,
      retryAfterSeconds: retryContentSeconds,
    },
  ] as const;
  return states.flatMap(({ limit, ...state }) => (limit === null ? [] : [{ ...state, limit }]));
}

export function costOf(name: QuotaName, { recipients, queuedRecipients, contentBytes }: QuotaCost): number {
  switch (name) {
    case "recipients_per_day":
      return recipients;
    case "queued_recipients":
      return queuedRecipients;
    case "stored_content_bytes":
      return contentBytes;
  }
}
