import { z } from "zod";
import type { PastFailover } from "../../../in-doubt/last-failover.ts";
import type { CellState } from "../../../status/cell-state.ts";
import { findProblems } from "../../../status/find-problems.ts";
import { commandOf, type Problem } from "../../../status/problem.ts";
import { runbookSections } from "../../../status/runbook-sections.ts";
import type { QueueCount, SendingState } from "../../../status/sending-state.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

export const seconds = (text: string) => z.number().describe(text).meta({ example: 12.5 });
export const secondsOrNull = (text: string) => z.number().nullable().describe(text).meta({ example: 12.5 });

const queueCount = z.object({
  sends: z.int().describe("10,000 means as many or more").meta({ example: 3 }),
  oldest_seconds: secondsOrNull("Age of the oldest of them; null when there is none"),
});

export const holdField = z
  .object({
    reason: z.string().describe("`quota`, `paused`, `suspended` or `operator`").meta({ example: "quota" }),
    held_seconds: seconds("How long it has lasted"),
    next_try_seconds: seconds("When a worker tries the next send"),
  })
  .nullable()
  .describe("The hold that answers of SES caused; null while SES accepts mail");

const mailState = z.object({
  mode: z.enum(["live", "test"]),
  queue: z
    .object({ ready: queueCount, waiting: queueCount, leased: queueCount, in_doubt: queueCount, parked: queueCount })
    .describe("Queued sends of all accounts by their state"),
  hold: holdField,
  operator_hold: z
    .object({ held_seconds: seconds("How long it has lasted"), note: z.string().nullable().meta({ example: null }) })
    .nullable()
    .describe("The hold of `postern admin hold`; null when there is none"),
  feedback: z
    .object({
      last_report_seconds_ago: secondsOrNull("Since the last report of SES; null for never"),
      polled_seconds_ago: secondsOrNull("Since a worker last polled the queue of reports; null for never"),
      gap: z.enum(["no-reports", "not-polled"]).nullable().describe("What is missing; null when nothing is"),
    })
    .describe("Reports of SES about submitted mail"),
});

export const operatorStatusResponse = z
  .object({
    problems: z
      .array(
        z.object({
          what: z.string().meta({ example: "The operator put the account Acme on hold 2 h ago." }),
          advice: z.string().meta({ example: "To resume: `postern admin release --account ID`" }),
          command: z
            .string()
            .nullable()
            .describe("The first command of the advice that can be run as it stands; null when it has none")
            .meta({ example: "postern admin release --account 0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f" }),
          runbook: z
            .enum(runbookSections)
            .nullable()
            .describe("The heading in docs/runbook.md that explains it, as in a link to it")
            .meta({ example: "a-flood-by-one-customer" }),
          tenant_id: z.uuid().nullable().describe("The account that it concerns, if it concerns one"),
          stops_mail: z.boolean().describe("Mail that could go out waits because of it"),
        }),
      )
      .describe("What `postern status` shows; empty when there is no problem"),
    mail: z.array(mailState),
    quarantine: z
      .array(z.object({ reason: z.string().meta({ example: "unreadable" }), entries: z.int() }))
      .describe(
        "Notifications of SES that could not be applied, by their reason; at most the newest 10,000 are counted",
      ),
    failovers: z
      .array(
        z.object({
          noticed_at: wireTimestamp,
          cause: z
            .enum(["server", "rewound", "feedback", "operator"])
            .describe(
              "`server`: another server, timeline or database. `rewound`: less data on disk than before. `feedback`: SES reports sends " +
                "that the database does not have. `operator`: declared by `postern admin failover declare`",
            ),
          server_before: z.string().nullable(),
          server_after: z.string(),
          marked_in_doubt: z.int().describe("Sends that workers marked as in doubt").meta({ example: 40 }),
          sweeping: z.boolean().describe("Workers are still marking sends, and submit none until they are done"),
        }),
      )
      .describe("Failovers and restores of the database; at most ten, newest first"),
    database: z
      .object({
        bytes: z.number().nullable().meta({ example: 1_200_000_000 }),
        bytes_per_day: z.number().nullable().describe("Growth; null until it is known").meta({ example: 4_000_000 }),
        limit_bytes: z.number().nullable().describe("`DATABASE_DISK_GB`").meta({ example: null }),
        full_in_seconds: z.number().nullable().meta({ example: null }),
        measured_seconds_ago: secondsOrNull("Since a worker measured it; null for never"),
        sampled_seconds: seconds("How long the samples behind the growth span; the forecast needs a week"),
        history: z
          .array(z.object({ at: wireTimestamp, bytes: z.number() }))
          .describe("The last measurement of each of 30 days (UTC), oldest first"),
      })
      .describe("Size of the database, which a worker measures every hour"),
  })
  .meta({ id: "OperatorStatus", description: "The state of the whole installation, at most a second old" });

/** What the state of the installation, which every scrape of the metrics reads, leaves out. */
export interface StatusHistory {
  failovers: PastFailover[];
  sizes: { measuredAt: string; bytes: number }[];
}

export function toOperatorStatus(
  state: CellState,
  { failovers, sizes }: StatusHistory,
): z.infer<typeof operatorStatusResponse> {
  const { bytes, bytesPerDay, limitBytes, fullInSeconds, measuredSecondsAgo, sampledSeconds } = state.databaseGrowth;
  return {
    problems: findProblems(state).map(toProblem),
    mail: state.sending.map(toMailState),
    quarantine: state.quarantine.map(({ reason, entries }) => ({ reason, entries })),
    failovers: failovers.map(toFailover),
    database: {
      bytes,
      bytes_per_day: bytesPerDay,
      limit_bytes: limitBytes,
      full_in_seconds: fullInSeconds,
      measured_seconds_ago: measuredSecondsAgo,
      sampled_seconds: sampledSeconds,
      history: sizes.map((size) => ({ at: size.measuredAt, bytes: size.bytes })),
    },
  };
}

function toProblem(problem: Problem) {
  const { what, advice, runbook = null, accountId = null, stopsMail = false } = problem;
  return { what, advice, command: commandOf(problem), runbook, tenant_id: accountId, stops_mail: stopsMail };
}

function toFailover({ noticedAt, cause, before, after, markedInDoubt, isSweeping }: PastFailover) {
  return {
    noticed_at: noticedAt,
    cause,
    server_before: before,
    server_after: after,
    marked_in_doubt: markedInDoubt,
    sweeping: isSweeping,
  };
}

function toMailState(sending: SendingState): z.infer<typeof mailState> {
  const { mode, queue, operatorHold, feedback } = sending;
  const count = ({ sends, oldestSeconds }: QueueCount) => ({ sends, oldest_seconds: oldestSeconds });
  return {
    mode,
    queue: {
      ready: count(queue.ready),
      waiting: count(queue.waiting),
      leased: count(queue.leased),
      in_doubt: count(queue["in-doubt"]),
      parked: count(queue.parked),
    },
    hold: toHold(sending),
    operator_hold: operatorHold && { held_seconds: operatorHold.heldSeconds, note: operatorHold.note },
    feedback: {
      last_report_seconds_ago: feedback.lastReportSecondsAgo,
      polled_seconds_ago: feedback.polledSecondsAgo,
      gap: feedback.gap,
    },
  };
}

export function toHold({ hold }: SendingState): z.infer<typeof holdField> {
  return hold && { reason: hold.reason, held_seconds: hold.heldSeconds, next_try_seconds: hold.probeInSeconds };
}
