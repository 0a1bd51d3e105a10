import { z } from "zod";
import type { CellState } from "../../../status/cell-state.ts";
import type { FailedRemovals } from "../../../suppressions/failed-removals.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { holdField, secondsOrNull, toHold } from "./status-wire.ts";

export const operatorSesResponse = z
  .object({
    quota: z
      .object({
        per_second: z.number().nullable().describe("Recipients a second; null until it is known").meta({ example: 14 }),
        per_day: z
          .number()
          .nullable()
          .describe("Recipients in 24 hours; null when SES sets no limit, or until it is known")
          .meta({ example: 50_000 }),
        used_last_24_hours: z.number().nullable().describe("Null until it is known").meta({ example: 1_200 }),
        read_seconds_ago: secondsOrNull("Since a worker read it; null for never"),
      })
      .describe("What SES allows the AWS account"),
    hold: holdField,
    reputation: z
      .object({
        enforcement_status: z
          .string()
          .nullable()
          .describe("`HEALTHY`, `PROBATION` or `SHUTDOWN`; null until it is known")
          .meta({ example: "HEALTHY" }),
        read_seconds_ago: secondsOrNull("Since a worker read it; null for never"),
        findings: z
          .array(
            z.object({
              kind: z.string().meta({ example: "BOUNCE" }),
              impact: z.string().meta({ example: "HIGH" }),
              resource: z.string().describe("ARN of what it concerns; empty when SES names none").meta({ example: "" }),
            }),
          )
          .nullable()
          .describe("At most 20, high impact first; null when SES does not offer them to this AWS account"),
        finding_count: z.int().nullable().meta({ example: 0 }),
        findings_read_seconds_ago: secondsOrNull("Since a worker read them; null for never"),
      })
      .describe("What SES thinks of the AWS account"),
    failed_removals: z
      .object({
        total: z.int().describe("10,000 means as many or more").meta({ example: 1 }),
        removals: z
          .array(
            z.object({
              tenant_id: z.uuid().describe("The account that removed the address from its suppressions"),
              name: z.string().describe("Its name").meta({ example: "Acme" }),
              removed_at: wireTimestamp,
              status: z
                .enum(["pending", "refused"])
                .describe("`refused`: SES does not accept the address, and nobody tries again"),
              next_try_at: wireTimestamp.nullable().describe("While `pending`"),
              error: z
                .enum(["throttled", "unavailable", "denied", "limit_reached", "invalid"])
                .describe("Of the last try"),
            }),
          )
          .describe("The newest 50, without the addresses, which the members of the account see"),
      })
      .describe("Addresses that an account removed from its suppressions, and SES did not remove from its list"),
  })
  .meta({
    id: "OperatorSes",
    description: "Quota and reputation of the AWS account at SES, as workers last read them",
  });

export function toOperatorSes(
  { sending }: CellState,
  { total, removals }: FailedRemovals,
): z.infer<typeof operatorSesResponse> {
  const live = sending.find(({ mode }) => mode === "live");
  const reputation = live?.reputation;
  return {
    quota: {
      per_second: live?.rate.maxPerSecond ?? null,
      per_day: live?.daily.max ?? null,
      used_last_24_hours: live?.daily.used ?? null,
      read_seconds_ago: live?.rate.readSecondsAgo ?? null,
    },
    hold: live === undefined ? null : toHold(live),
    reputation: {
      enforcement_status: reputation?.enforcementStatus ?? null,
      read_seconds_ago: reputation?.readSecondsAgo ?? null,
      findings: reputation?.findings?.map(({ kind, impact, resource }) => ({ kind, impact, resource })) ?? null,
      finding_count: reputation?.findingCount ?? null,
      findings_read_seconds_ago: reputation?.findingsReadSecondsAgo ?? null,
    },
    failed_removals: {
      total,
      removals: removals.map(({ accountId, accountName, removedAt, status, nextTryAt, error }) => ({
        tenant_id: accountId,
        name: accountName,
        removed_at: removedAt,
        status,
        next_try_at: nextTryAt,
        error: error === "limit-reached" ? "limit_reached" : error,
      })),
    },
  };
}
