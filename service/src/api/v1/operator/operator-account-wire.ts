import { z } from "zod";
import type { QuotaLimits } from "../../../accounts/quota-store.ts";
import { evaluateCounts } from "../../../guard/guard-verdict.ts";
import type { Mode } from "../../../mode.ts";
import type { AccountState } from "../../../status/account-states.ts";
import { accountRanks } from "../../../status/rank-accounts.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { limitParameter, textParameter } from "../list-wire.ts";

const quota = (text: string) => z.int().nullable().describe(`${text}; null is unlimited`).meta({ example: null });
const limit = (text: string, example: number) => z.int().describe(text).meta({ example });

const modeState = z.object({
  quotas: z.object({
    recipients_per_day: quota("Recipients from 00:00 to 24:00 UTC"),
    queued_recipients: quota("Recipients that wait in the queue"),
    stored_content_bytes: quota("Bytes of stored content"),
    trial: z.int().nullable().describe("Recipients a day while the account is on trial; null when it is not").meta({
      example: null,
    }),
  }),
  usage: z.object({
    recipients_today: limit("Accepted since 00:00 UTC", 240),
    recipients_last_24_hours: limit("Accepted in the last 23 to 24 hours, a few seconds old", 1200),
  }),
});

export const operatorAccount = z
  .object({
    tenant_id: z.uuid().describe("Id of the account"),
    name: z.string().meta({ example: "Acme" }),
    email: z
      .string()
      .nullable()
      .describe("With which its first owner logs in; null when the account has no user")
      .meta({ example: "ada@example.com" }),
    created_at: wireTimestamp,
    suspended: z.boolean().describe("Its keys and tokens are refused"),
    hold: z
      .object({ held_at: wireTimestamp, note: z.string().nullable().meta({ example: "asks for a review" }) })
      .nullable()
      .describe("The hold of an operator on all its mail; null when there is none"),
    guard: z
      .object({
        on: z.boolean().describe("`false`: it counts and warns, and never holds"),
        held_at: wireTimestamp.nullable().describe("Since when it holds the live mail; null when it does not"),
        reason: z.string().nullable().describe("Why it holds the mail").meta({ example: null }),
        released_at: wireTimestamp.nullable().describe("Of the last release, from which it counts"),
        state: z.enum(["unknown", "good", "warning"]).describe("`unknown`: fewer than 200 outcomes"),
        outcomes: limit("Recipients of live mail that was delivered or bounced permanently within seven days", 1500),
        hard_bounces: limit("Those that bounced permanently", 12),
        complaints: limit("Recipients who reported the mail as spam", 0),
        bounce_rate: z.number().nullable().describe("Null below 200 outcomes").meta({ example: 0.008 }),
        complaint_rate: z.number().nullable().describe("Null below 200 outcomes").meta({ example: 0 }),
      })
      .describe("Bounces and complaints, a few seconds old"),
    limits: z
      .object({
        per_second: limit("Sends in one second", 3),
        per_10_seconds: limit("Sends in ten seconds", 20),
        per_minute: limit("Sends in one minute", 100),
        domains: limit("Registered domains", 100),
        api_keys: limit("Usable API keys", 100),
        domain_changes_per_minute: limit("Registrations and removals of domains in one minute", 10),
      })
      .describe("Live and test mail share them; sends count for each of both"),
    live: modeState,
    test: modeState,
  })
  .meta({ id: "OperatorAccount", description: "An account as an operator sees it" });

export const operatorAccountQuery = z.strictObject({
  limit: limitParameter,
  sort: z
    .enum(["created", ...accountRanks])
    .default("created")
    .describe(
      "`created`: oldest first. `volume`: most recipients of live mail in 24 hours first. `bounce_rate`, `complaint_rate`: highest rate of " +
        "seven days first, then accounts with fewer than 200 outcomes. Only `created` has further pages",
    )
    .meta({ "x-default": "created" }),
  search: textParameter
    .max(320)
    .optional()
    .describe("Only accounts with this text in their name or in the email of a member, or with this id"),
  after: z
    .guid({ error: "must be an id, such as the `next_after` of the previous response" })
    .optional()
    .describe(
      "Only accounts that follow the account with this id, in the order `created`; use it to continue the list",
    ),
});

export const operatorAccountList = z
  .object({
    accounts: z.array(operatorAccount).describe("In the order of `sort`"),
    next_after: z.uuid().nullable().describe("Pass it as `after` to continue; null at the end of the list"),
  })
  .describe("One page of all accounts");

export function toOperatorAccount(account: AccountState): z.infer<typeof operatorAccount> {
  const { guard, limits } = account;
  const verdict = evaluateCounts(guard);
  return {
    tenant_id: account.id,
    name: account.name,
    email: account.email,
    created_at: account.createdAt,
    suspended: account.isSuspended,
    hold: account.heldAt === null ? null : { held_at: account.heldAt, note: account.holdNote },
    guard: {
      on: !guard.isOff,
      held_at: guard.heldAt,
      reason: guard.reason,
      released_at: guard.releasedAt,
      state: verdict.state,
      outcomes: guard.outcomes,
      hard_bounces: guard.hardBounces,
      complaints: guard.complaints,
      bounce_rate: verdict.bounceRate ?? null,
      complaint_rate: verdict.complaintRate ?? null,
    },
    limits: {
      per_second: limits.perSecond,
      per_10_seconds: limits.per10Seconds,
      per_minute: limits.perMinute,
      domains: limits.domains,
      api_keys: limits.apiKeys,
      domain_changes_per_minute: limits.domainChangesPerMinute,
    },
    live: toModeState(account, "live"),
    test: toModeState(account, "test"),
  };
}

function toModeState({ modes }: AccountState, mode: Mode): z.infer<typeof modeState> {
  const { quotas, recipientsToday, recipientsLastDay } = modes[mode];
  const usage = { recipients_today: recipientsToday, recipients_last_24_hours: recipientsLastDay };
  return { quotas: toQuotas(quotas), usage };
}

function toQuotas(quotas: QuotaLimits) {
  return {
    recipients_per_day: quotas.recipientsPerDay,
    queued_recipients: quotas.queuedRecipients,
    stored_content_bytes: quotas.storedContentBytes,
    trial: quotas.trial,
  };
}
