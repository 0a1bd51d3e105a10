import { z } from "zod";
import type { QuotaState } from "../../../accept/quota-states.ts";
import type { AccountProfile } from "../../../accounts/account-store.ts";
import { evaluateCounts } from "../../../guard/guard-verdict.ts";
import type { GuardCounts } from "../../../guard/limits.ts";
import type { Mode } from "../../../mode.ts";
import { type Caller, domainOf } from "../../auth/authenticate.ts";
import { recoveryCodeField, totpCodeField } from "../auth/totp-wire.ts";

export const accountResponse = z
  .object({
    tenant_id: z.uuid().describe("Id of the account"),
    name: z.string().meta({ example: "Acme" }),
    credential: z.enum(["api_key", "jwt"]).describe("The kind of credential that authenticated this request"),
    mode: z.enum(["live", "test"]).describe("`live`: sends in this mode go out; `test`: they never do"),
    rate_limits: z
      .object({ per_second: z.int(), per_10_seconds: z.int(), per_minute: z.int() })
      .describe("Send requests that the account may make in each window"),
    quotas: z
      .array(
        z.object({
          name: z.enum(["recipients_per_day", "queued_recipients", "stored_content_bytes"]),
          limit: z.int().meta({ example: 10_000 }),
          used: z.int().describe("Can exceed `limit`").meta({ example: 8_200 }),
          trial: z.boolean().describe("The account is on trial, and this is its limit"),
        }),
      )
      .describe(
        "Each quota that the operator set for this account and mode, and what the account uses of it, as of a few seconds ago. " +
          "Recipients of a day count from 00:00 UTC. A quota that is not set is unlimited",
      ),
    held: z
      .boolean()
      .describe("True while accepted mail of this mode waits because the mail of the account is on hold"),
    held_reason: z
      .string()
      .nullable()
      .describe("Why the mail is on hold; null while it is not")
      .meta({ example: null }),
    totp_required: z.boolean().describe("Users without two-factor authentication can only set it up"),
    reputation: z
      .object({
        state: z
          .enum(["unknown", "good", "warning"])
          .describe(
            "`unknown`: fewer than 200 outcomes; `warning`: a rate is above the line at which SES reviews senders",
          ),
        outcomes: z
          .int()
          .describe("Recipients of live mail that was delivered or bounced permanently")
          .meta({ example: 1500 }),
        hard_bounces: z.int().meta({ example: 12 }),
        complaints: z.int().meta({ example: 0 }),
        bounce_rate: z.number().nullable().describe("Null below 200 outcomes").meta({ example: 0.008 }),
        complaint_rate: z.number().nullable().describe("Null below 200 outcomes").meta({ example: 0 }),
        warnings: z
          .array(z.string())
          .describe("One sentence for each rate above the review line")
          .meta({ example: [] }),
      })
      .describe(
        "Live mail of the last seven days by UTC, or since the operator released the account; a few seconds old. Absent for an API key " +
          "for one domain, because it counts all domains",
      )
      .optional(),
  })
  .meta({ id: "Account", description: "The account behind the credential" });

export const accountSettingsBody = z
  .strictObject({
    totp_required: z.boolean().describe("Whether every user of the account needs two-factor authentication"),
    totp_code: totpCodeField.optional(),
    recovery_code: recoveryCodeField.optional(),
  })
  .meta({ example: { totp_required: true } });

export const accountSettingsResponse = z.object({ totp_required: z.boolean() }).describe("The settings of the account");

export function toAccountResponse(
  account: AccountProfile,
  { guard, quotas, mode }: { guard: GuardCounts; quotas: QuotaState[]; mode: Mode },
  caller: Caller,
): z.infer<typeof accountResponse> {
  return {
    tenant_id: account.id,
    name: account.name,
    credential: caller.credential.kind === "api-key" ? "api_key" : "jwt",
    mode,
    rate_limits: {
      per_second: account.perSecond,
      per_10_seconds: account.per10Seconds,
      per_minute: account.perMinute,
    },
    quotas: quotas.map(({ name, limit, used, isTrial }) => ({ name, limit, used, trial: isTrial })),
    held: account.holdReason !== null,
    held_reason: account.holdReason,
    totp_required: account.totpRequired,
    ...(domainOf(caller) === undefined && { reputation: toReputation(guard) }),
  };
}

function toReputation(guard: GuardCounts) {
  const verdict = evaluateCounts(guard);
  return {
    state: verdict.state,
    outcomes: guard.outcomes,
    hard_bounces: guard.hardBounces,
    complaints: guard.complaints,
    bounce_rate: verdict.bounceRate ?? null,
    complaint_rate: verdict.complaintRate ?? null,
    warnings: verdict.warnings,
  };
}
