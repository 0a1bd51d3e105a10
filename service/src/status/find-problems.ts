import type { LastFailover } from "../in-doubt/last-failover.ts";
import { amountText, countText, durationText } from "../plain-text.ts";
import { type HeldSnapshot, isHeldTooLong, terminationCommand } from "../storage/held-snapshots.ts";
import type { CellState } from "./cell-state.ts";
import { growthProblems } from "./database-growth.ts";
import { deniedDomainProblems } from "./denied-domains.ts";
import { guardProblems } from "./guarded-accounts.ts";
import { interruptedMoveProblems } from "./interrupted-moves.ts";
import { noteText, type Problem } from "./problem.ts";
import { processProblems } from "./process-problems.ts";
import type { Readiness } from "./readiness.ts";
import { reputationProblems } from "./reputation.ts";
import { feedbackProblems, holdProblems, queueProblems, rateProblems } from "./sending-problems.ts";

/** Test mail is checked for its queue only: the sandbox has no provider hold, rate or missing feedback. */
export function findProblems(cell: CellState): Problem[] {
  const { checks, sending, quarantine, heldAccounts, heldSnapshots, lastFailover, processes, failingChores } = cell;
  const live = sending.filter(({ mode }) => mode === "live");
  const unreadable = quarantine.find(({ reason }) => reason === "unreadable")?.fresh ?? 0;
  return [
    ...storageProblems(checks),
    ...growthProblems(cell.databaseGrowth),
    ...heldSnapshots.filter((snapshot) => isHeldTooLong(snapshot)).map(snapshotProblem),
    ...failoverProblems(lastFailover),
    ...processProblems(processes, failingChores),
    ...interruptedMoveProblems(cell.interruptedMoves),
    ...live.flatMap(holdProblems),
    ...live.flatMap(reputationProblems),
    ...deniedDomainProblems(cell.deniedDomains),
    ...sending.flatMap(queueProblems),
    ...live.flatMap((state) => [...rateProblems(state), ...feedbackProblems(state)]),
    ...heldAccounts.map(({ id, name, heldSeconds, note }) => ({
      what: `The operator put the account ${name} on hold ${durationText(heldSeconds)} ago${noteText(note)}.`,
      advice: `To resume: \`postern admin release --account ${id}\``,
      runbook: "a-flood-by-one-customer" as const,
      accountId: id,
      stopsMail: true as const,
    })),
    ...guardProblems(cell.guardedAccounts),
    ...(unreadable === 0
      ? []
      : [
          {
            what: `${amountText(unreadable, "notification")} of the last day could not be parsed.`,
            advice: "Run `postern admin quarantine list`, then `postern admin quarantine show ID`.",
            runbook: "feedback-is-missing" as const,
          },
        ]),
  ];
}

const schemaSection = "a-process-does-not-fit-the-schema";

function storageProblems({ database, schema, partitions }: Readiness["checks"]): Problem[] {
  if (database === "unreachable") {
    return [
      {
        what: "PostgreSQL cannot be reached.",
        advice: "Check the server and DATABASE_URL.",
        runbook: "the-api-answers-503",
        stopsMail: true,
      },
    ];
  }
  if (typeof schema === "object" && "reason" in schema) {
    return [{ what: schema.reason, advice: schema.action, runbook: schemaSection, stopsMail: true }];
  }
  if (typeof schema === "object") {
    const what = `The database schema lacks ${schema.missing.join(", ")}.`;
    return [{ what, advice: "Run `postern migrate`.", runbook: schemaSection, stopsMail: true }];
  }
  if (schema !== "ok") {
    const advice = "Run `postern migrate`, and check the privileges of the database role.";
    return [{ what: "The database schema cannot be read.", advice, runbook: schemaSection, stopsMail: true }];
  }
  if (typeof partitions !== "object") return [];
  if ("missing" in partitions) {
    const what = `There is no partition for the current time in ${partitions.missing.join(", ")}.`;
    return [{ what, advice: "Run `postern migrate`.", runbook: "partitions-end-soon", stopsMail: true }];
  }
  return partitions.degraded.map((detail) => ({
    what: `Partitions: ${detail}.`,
    advice: "See docs/storage.md.",
    runbook: "partitions-end-soon",
  }));
}

function snapshotProblem(snapshot: HeldSnapshot): Problem {
  const { holder, name, pid, heldSeconds, transactions } = snapshot;
  const subject = {
    session: `A transaction of ${name === "" ? "a session" : name} (pid ${pid})`,
    "prepared-transaction": `The prepared transaction ${name}`,
    replication: `The standby or slot ${name}`,
  }[holder];
  const duration = heldSeconds === null ? `${countText(transactions)} transactions` : durationText(heldSeconds);
  const command = terminationCommand(snapshot);
  const action = command === undefined ? "Repair or drop it." : `Let it end, or run \`${command}\`.`;
  return {
    what: `${subject} has kept vacuum from removing deleted rows for ${duration}. Claims get slower and tables grow.`,
    advice: `${action} See docs/runbook.md, "Vacuum is blocked".`,
    runbook: "vacuum-is-blocked",
  };
}

/** Reported until no send is in doubt because of the failover. */
function failoverProblems(failover: LastFailover | null): Problem[] {
  if (failover === null || !(failover.isSweeping || failover.inDoubt > 0)) return [];
  const { noticedSecondsAgo, markedInDoubt, inDoubt, isSweeping } = failover;
  const progress = isSweeping
    ? "Workers are marking the sends that were queued before it as in doubt"
    : `${countText(inDoubt)} of ${countText(markedInDoubt)} sends that were queued before it are in doubt`;
  return [
    {
      what: `A database failover or restore was detected ${durationText(noticedSecondsAgo)} ago. ${progress}.`,
      advice:
        "Workers resolve them without your help. Details: `postern admin failover show` and " +
        'docs/runbook.md, "After a restore or failover".',
      runbook: "after-a-restore-or-failover",
      ...(isSweeping && { stopsMail: true as const }),
    },
  ];
}
