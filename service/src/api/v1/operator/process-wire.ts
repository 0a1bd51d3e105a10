import { z } from "zod";
import type { CellState } from "../../../status/cell-state.ts";
import { seconds, secondsOrNull } from "./status-wire.ts";

export const operatorProcessesResponse = z
  .object({
    processes: z
      .array(
        z.object({
          id: z.string(),
          role: z.enum(["api", "worker", "serve"]),
          name: z.string().describe("Host and process").meta({ example: "mail-1" }),
          version: z.string().meta({ example: "0.1.0" }),
          condition: z
            .enum(["alive", "stopped", "vanished"])
            .describe("`vanished`: no heartbeat for 20 s and no orderly stop"),
          replaced: z.boolean().describe("Another process of its role has started since"),
          started_seconds_ago: seconds("Since its start"),
          seen_seconds_ago: seconds("Since its last heartbeat"),
          claims_failing_seconds: secondsOrNull("For how long it cannot take sends from the queue; null when it can"),
          chores_failing_seconds: secondsOrNull("For how long it cannot read the queue of chores; null when it can"),
          live_claimed_seconds_ago: secondsOrNull("Since it last took a live send; null for never"),
          test_claimed_seconds_ago: secondsOrNull("Since it last took a test send; null for never"),
        }),
      )
      .describe("Those of the last hour, and the last worker"),
    failing_chores: z.array(
      z.object({
        name: z.string().meta({ example: "read-quota" }),
        failing_seconds: seconds("For how long"),
        overdue: z.boolean().describe("It hangs, or no worker starts it; otherwise its last runs failed"),
      }),
    ),
  })
  .meta({ id: "OperatorProcesses", description: "The processes of the installation, by their last heartbeat" });

export function toOperatorProcesses(state: CellState): z.infer<typeof operatorProcessesResponse> {
  return {
    processes: state.processes.map((each) => ({
      id: each.id,
      role: each.role,
      name: each.name,
      version: each.version,
      condition: each.condition,
      replaced: each.isReplaced,
      started_seconds_ago: each.startedSecondsAgo,
      seen_seconds_ago: each.seenSecondsAgo,
      claims_failing_seconds: each.claimsFailingSeconds,
      chores_failing_seconds: each.choresFailingSeconds,
      live_claimed_seconds_ago: each.liveClaimedSecondsAgo,
      test_claimed_seconds_ago: each.testClaimedSecondsAgo,
    })),
    failing_chores: state.failingChores.map(({ name, failingSeconds, isOverdue }) => ({
      name,
      failing_seconds: failingSeconds,
      overdue: isOverdue,
    })),
  };
}
