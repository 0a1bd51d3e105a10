import type { LastFailover } from "../in-doubt/last-failover.ts";
import { aligned, amountText, countText, durationText } from "../plain-text.ts";
import { type CellState, countLimitForPeople } from "../status/cell-state.ts";
import { databaseText } from "../status/database-growth.ts";
import { totalOf } from "../status/guarded-accounts.ts";
import type { Problem } from "../status/problem.ts";
import { isMissed, isWorker } from "../status/process-problems.ts";
import type { ProcessState } from "../status/process-state.ts";
import { reputationText } from "../status/reputation.ts";
import type { QueueState, SendingState } from "../status/sending-state.ts";
import { olderSendsCountedAtMost, type RecordRetention } from "../storage/record-retention.ts";

const stateNames: Record<QueueState, string> = {
  ready: "ready",
  waiting: "waiting for a retry",
  leased: "being submitted",
  "in-doubt": "in doubt",
  parked: "parked (account on hold or suspended, or domain denied)",
};

/** One screen: first the problems with advice, then the state of everything. */
export function describeCell(
  state: CellState,
  problems: Problem[],
  { hasFeedbackQueue }: { hasFeedbackQueue: boolean },
): string {
  return [
    headline(problems),
    ...problems.map(({ what, advice }) => `  ✗ ${what}\n    → ${advice}`),
    ...state.sending.map((sending) => describeSending(sending, hasFeedbackQueue)),
    describeProcesses(state.processes),
    describeStorage(state),
  ].join("\n\n");
}

function headline(problems: Problem[]): string {
  return problems.length === 0 ? "✓ No problems found." : `${amountText(problems.length, "problem")} found.`;
}

function describeSending(state: SendingState, hasFeedbackQueue: boolean): string {
  const title = state.mode === "live" ? "LIVE MAIL" : "TEST MAIL";
  const isEmpty = Object.values(state.queue).every(({ sends }) => sends === 0);
  // A worker with AWS settings reads the rate when it starts. This command may run without the settings of the workers.
  const isSetUp = hasFeedbackQueue || state.rate.maxPerSecond !== null;
  if (state.mode === "live" && isEmpty && !isSetUp) {
    return `${title}\n  not set up: workers send only test mail. To send live mail, run \`postern aws setup\``;
  }
  if (state.mode === "test" && isEmpty) return `${title}\n  nothing queued`;
  const counts = (Object.keys(stateNames) as QueueState[]).map((name) => {
    const { sends, oldestSeconds } = state.queue[name];
    const age = oldestSeconds === null ? "" : `oldest ${durationText(oldestSeconds)}`;
    return [stateNames[name], countText(sends, countLimitForPeople), age];
  });
  const facts = [
    ["hold", holdText(state)],
    // The sandbox has no rate limit and needs no feedback from SES.
    ...(state.mode === "test"
      ? []
      : [
          ["rate", rateText(state)],
          ["reputation", reputationText(state.reputation)],
          ["feedback", feedbackText(state)],
        ]),
  ];
  return `${title}\n${aligned(counts, { indent: "  ", right: [1] })}\n${aligned(facts, { indent: "  " })}`;
}

function holdText({ hold, operatorHold }: SendingState): string {
  const probe = hold === null || operatorHold !== null ? "" : `, next try in ${durationText(hold.probeInSeconds)}`;
  const holds = [
    ...(operatorHold === null ? [] : [`by the operator for ${durationText(operatorHold.heldSeconds)}`]),
    ...(hold === null ? [] : [`${hold.reason} for ${durationText(hold.heldSeconds)}${probe}`]),
  ];
  return holds.length === 0 ? "none" : holds.join("; ");
}

function rateText({ rate }: SendingState): string {
  if (rate.maxPerSecond === null) return "not known yet: one recipient a second";
  const age = rate.readSecondsAgo === null ? "" : `, read ${durationText(rate.readSecondsAgo)} ago`;
  return `SES allows ${countText(rate.maxPerSecond)} recipients a second${age}`;
}

const gapTexts = { "no-reports": "; REPORTS MISSING", "not-polled": "; QUEUE NOT POLLED" };

function feedbackText({ feedback }: SendingState): string {
  const { lastReportSecondsAgo, polledSecondsAgo, gap } = feedback;
  const gapText = gap === null ? "" : gapTexts[gap];
  return `last report from SES ${agoText(lastReportSecondsAgo)}, queue last polled ${agoText(polledSecondsAgo)}${gapText}`;
}

/** Stopped processes, and those that vanished more than an hour ago, are no longer of interest. */
function describeProcesses(processes: ProcessState[]): string {
  const shown = processes.filter((each) => each.condition === "alive" || isMissed(each));
  if (shown.length === 0) return "WORKERS\n  none";
  const rows = shown.map((each) => [
    each.role,
    each.name,
    each.version,
    each.condition === "alive"
      ? `started ${durationText(each.startedSecondsAgo)} ago`
      : `NO HEARTBEAT for ${durationText(each.seenSecondsAgo)}`,
    isWorker(each)
      ? `last claim: live ${agoText(each.liveClaimedSecondsAgo)}, test ${agoText(each.testClaimedSecondsAgo)}`
      : "",
  ]);
  return `WORKERS\n${aligned(rows, { indent: "  " })}`;
}

function agoText(seconds: number | null): string {
  return seconds === null ? "never" : `${durationText(seconds)} ago`;
}

function describeStorage({ checks, heldAccounts, guardedAccounts, ...cell }: CellState): string {
  const { quarantine, partitions, recordRetention, databaseGrowth, lastFailover } = cell;
  const quarantined = quarantine.map(({ reason, entries }) => `${countText(entries, countLimitForPeople)} ${reason}`);
  const ahead = partitions.map(({ table, aheadSeconds }) => `${table} ${durationText(aheadSeconds)}`);
  return aligned([
    ["ACCOUNTS ON HOLD", namesText(heldAccounts, heldAccounts.length)],
    ["HELD BY THE GUARD", namesText(guardedAccounts.held, totalOf(guardedAccounts.held))],
    ["WARNED BY THE GUARD", namesText(guardedAccounts.warned, totalOf(guardedAccounts.warned))],
    ["QUARANTINE", quarantined.length === 0 ? "empty" : quarantined.join(", ")],
    ["PARTITIONS", ahead.length === 0 ? "unknown" : `created ahead: ${ahead.join(", ")}`],
    ["RECORDS", recordsText(recordRetention)],
    ["DATABASE", databaseText(databaseGrowth)],
    ["FAILOVER", failoverText(lastFailover)],
    ["SCHEMA", checks.schema === "ok" ? "complete" : "not complete"],
  ]);
}

function recordsText({ retentionDays, droppedBefore, olderSends }: RecordRetention): string {
  const rule = retentionDays === null ? "permanent" : `kept for ${countText(retentionDays)} days, in whole months`;
  if (droppedBefore === null) return `${rule}; none was dropped yet`;
  const older = countText(olderSends, olderSendsCountedAtMost);
  const still = olderSends === 0 ? "" : `, and ${older} older sends that are not final or have later events`;
  return `${rule}; kept since ${droppedBefore.slice(0, 10)}${still}`;
}

function namesText(accounts: { name: string }[], total: number): string {
  if (total === 0) return "none";
  const names = accounts.map(({ name }) => name).join(", ");
  return `${amountText(total, "account")}: ${names}${total > accounts.length ? ", …" : ""}`;
}

function failoverText(failover: LastFailover | null): string {
  if (failover === null) return "none detected";
  const { inDoubt, markedInDoubt, noticedSecondsAgo } = failover;
  const sends = `${countText(inDoubt, countLimitForPeople)} of ${countText(markedInDoubt)} sends still in doubt`;
  return `failover or restore detected ${durationText(noticedSecondsAgo)} ago, ${sends}`;
}
