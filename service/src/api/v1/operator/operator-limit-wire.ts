import { z } from "zod";
import type { AccountLimits } from "../../../accounts/limit-store.ts";
import type { QuotaLimits } from "../../../accounts/quota-store.ts";
import { reason } from "./operator-action-wire.ts";

const maxLimit = 1_000_000;
const limit = (least: number) => z.int().min(least).max(maxLimit).optional();
const quota = (most: number) => z.int().min(0).max(most).nullable().optional();

export const limitsBody = z
  .strictObject({
    reason,
    per_second: limit(1).describe("Sends in one second"),
    per_10_seconds: limit(1).describe("Sends in ten seconds"),
    per_minute: limit(1).describe("Sends in one minute"),
    domains: limit(0).describe("Registered domains"),
    api_keys: limit(0).describe("Usable API keys"),
    domain_changes_per_minute: limit(1).describe("Registrations and removals of domains in one minute"),
  })
  .meta({ example: { reason: "The account is known", per_second: 20 } });

export const quotasBody = z
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
  })
  .meta({ example: { reason: "The account is known", trial: null } });

export function toLimits(body: z.infer<typeof limitsBody>): Partial<AccountLimits> {
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

export function toQuotas({
  recipients_per_day,
  stored_content_bytes,
  trial,
}: z.infer<typeof quotasBody>): Partial<QuotaLimits> {
  return {
    ...(recipients_per_day !== undefined && { recipientsPerDay: recipients_per_day }),
    ...(stored_content_bytes !== undefined && { storedContentBytes: stored_content_bytes }),
    ...(trial !== undefined && { trial }),
  };
}
