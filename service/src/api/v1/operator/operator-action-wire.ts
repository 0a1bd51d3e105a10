import { z } from "zod";
import type { AccountLimits } from "../../../accounts/limit-store.ts";
import type { QuotaLimits } from "../../../accounts/quota-store.ts";
import { textParameter } from "../list-wire.ts";

const reason = textParameter
  .max(500)
  .refine((text) => text.trim() !== "", { error: "must say why" })
  .describe("Why the operator does this, 1 to 500 characters, for other operators");

export const reasonBody = z.strictObject({ reason }).meta({ example: { reason: "The account sends to bought lists" } });

export const guardBody = z
  .strictObject({
    reason,
    release: z
      .literal(true)
      .optional()
      .describe("Ends the guard's hold and counts from zero; a hold of an operator stays"),
    on: z.boolean().optional().describe("`false`: the guard counts and warns, and never holds this account"),
  })
  .refine(({ release, on }) => release !== undefined || on !== undefined, { error: "must have release or on" })
  .meta({ example: { reason: "The account has removed the old list", release: true } });

const maxLimit = 1_000_000;
const limit = (least: number) => z.int().min(least).max(maxLimit).optional();
const quota = (most: number) => z.int().min(0).max(most).nullable().optional();

export const limitsBody = z
  .strictObject({
    reason,
    mode: z
      .enum(["live", "test"])
      .default("live")
      .describe("The mail whose quotas are set")
      .meta({ "x-default": "live" }),
    recipients_per_day: quota(2_147_483_647).describe("From 00:00 to 24:00 UTC; null is unlimited"),
    stored_content_bytes: quota(Number.MAX_SAFE_INTEGER).describe("Null is unlimited"),
    trial: quota(maxLimit).describe("Recipients a day while the account is on trial; null ends the trial"),
    per_second: limit(1).describe("Sends in one second"),
    per_10_seconds: limit(1).describe("Sends in ten seconds"),
    per_minute: limit(1).describe("Sends in one minute"),
    domains: limit(0).describe("Registered domains"),
    api_keys: limit(0).describe("Usable API keys"),
    domain_changes_per_minute: limit(1).describe("Registrations and removals of domains in one minute"),
  })
  .meta({ example: { reason: "The account is known", trial: null, per_second: 20 } });

type LimitsBody = z.infer<typeof limitsBody>;

export function toLimits(body: LimitsBody): Partial<AccountLimits> {
  const { per_second, per_10_seconds, per_minute, domains, api_keys, domain_changes_per_minute } = body;
  return {
    ...(per_second !== undefined && { perSecond: per_second }),
    ...(per_10_seconds !== undefined && { per10Seconds: per_10_seconds }),
    ...(per_minute !== undefined && { perMinute: per_minute }),
    ...(domains !== undefined && { domains }),
    ...(api_keys !== undefined && { apiKeys: api_keys }),
    ...(domain_changes_per_minute !== undefined && { domainChangesPerMinute: domain_changes_per_minute }),
  };
}

export function toQuotas({ recipients_per_day, stored_content_bytes, trial }: LimitsBody): Partial<QuotaLimits> {
  return {
    ...(recipients_per_day !== undefined && { recipientsPerDay: recipients_per_day }),
    ...(stored_content_bytes !== undefined && { storedContentBytes: stored_content_bytes }),
    ...(trial !== undefined && { trial }),
  };
}

export const replayBody = z
  .strictObject({
    reason,
    id: z.int().positive().optional().describe("The entry to try again; all of them if absent"),
  })
  .meta({ example: { reason: "The missing sends were restored", id: 17 } });

export const replayResponse = z
  .object({ due: z.int().describe("Entries that a worker tries again within ten seconds").meta({ example: 1 }) })
  .describe("The entries are due");
