import type { LastFailover } from "../in-doubt/last-failover.ts";
import { aligned, amountText, countText, durationText } from "../plain-text.ts";
import { type CellState, countedForPeople } from "../status/cell-state.ts";
import type { Problem } from "../status/find-problems.ts";
import type { QueueState, SendingState } from "../status/sending-state.ts";

const stateNames: Record<QueueState, string> = {
  ready: "ready",
  waiting: "waiting to be retried",
  leased: "being handed over",
  "in-doubt": "in doubt",
  parked: "parked (account held or suspended)",
};

/** One screen: what is wrong and what to do about it, and below it how everything stands. */
export function describeCell(state: CellState, problems: Problem[]): string {
  return [
    headline(problems),
    ...problems.map(({ what, advice }) => `  ✗ ${what}\n    → ${advice}`),
    ...state.sending.map(describeSending),
    describeStorage(state),
  ].join("\n\n");
}

function headline(problems: Problem[]): string {
  if (problems.length === 0) return "✓ All is well.";
  return problems.length === 1 ? "1 thing needs attention." : `${problems.length} things need attention.`;
}

function describeSending(state: SendingState): string {
  const title = state.mode === "live" ? "LIVE MAIL" : "TEST MAIL";
  const isUnused = Object.values(state.queue).every(({ sends }) => sends === 0);
  if (state.mode === "test" && isUnused) return `${title}\n  nothing queued`;
  const figures = (Object.keys(stateNames) as QueueState[]).map((name) => {
    const { sends, oldestSeconds } = state.queue[name];
    const age = oldestSeconds === null ? "" : `oldest ${durationText(oldestSeconds)}`;
    return [stateNames[name], countText(sends, countedForPeople), age];
  });
  const facts = [
    ["hold", holdText(state)],
    // Pace and feedback of the sandbox are our own doing.
    ...(state.mode === "test"
      ? []
      : [
          ["pace", paceText(state)],
          ["feedback", feedbackText(state)],
        ]),
  ];
  return `${title}\n${aligned(figures, { indent: "  ", right: [1] })}\n${aligned(facts, { indent: "  " })}`;
}

function holdText({ hold, operatorHold }: SendingState): string {
  const probe = hold === null || operatorHold !== null ? "" : `, next try in ${durationText(hold.probeInSeconds)}`;
  const parts = [
    ...(operatorHold === null ? [] : [`by the operator for ${durationText(operatorHold.heldSeconds)}`]),
    ...(hold === null ? [] : [`${hold.reason} for ${durationText(hold.heldSeconds)}${probe}`]),
  ];
  return parts.length === 0 ? "none" : parts.join("; ");
}

function paceText({ pace }: SendingState): string {
  if (pace.maxPerSecond === null) return "rate not known: one recipient a second";
  const read = pace.readSecondsAgo === null ? "" : `, read ${durationText(pace.readSecondsAgo)} ago`;
  return `SES allows ${countText(pace.maxPerSecond)} recipients a second${read}`;
}

function feedbackText({ feedback }: SendingState): string {
  const { lastReportSecondsAgo, polledSecondsAgo, silence } = feedback;
  const ago = (seconds: number | null) => (seconds === null ? "never" : `${durationText(seconds)} ago`);
  const silent = silence === null ? "" : "; SILENT";
  return `last hand-over told ${ago(lastReportSecondsAgo)}, queue last read ${ago(polledSecondsAgo)}${silent}`;
}

function describeStorage({ checks, heldAccounts, quarantine, partitions, lastFailover }: CellState): string {
  const held = heldAccounts.map(({ name }) => name).join(", ");
  const quarantined = quarantine.map(({ reason, entries }) => `${countText(entries, countedForPeople)} ${reason}`);
  const ahead = partitions.map(({ table, aheadSeconds }) => `${table} ${durationText(aheadSeconds)}`);
  return aligned([
    ["HELD ACCOUNTS", heldAccounts.length === 0 ? "none" : `${amountText(heldAccounts.length, "account")}: ${held}`],
    ["QUARANTINE", quarantined.length === 0 ? "empty" : quarantined.join(", ")],
    ["PARTITIONS", ahead.length === 0 ? "not known" : `made ahead: ${ahead.join(", ")}`],
    ["SERVER", changeText(lastFailover)],
    ["SCHEMA", checks.schema === "ok" ? "complete" : "not complete"],
  ]);
}

function changeText(change: LastFailover | null): string {
  if (change === null) return "no failover or restore noticed";
  const left = `${countText(change.inDoubt, countedForPeople)} of ${countText(change.markedInDoubt)} sends still in doubt by it`;
  return `failover or restore noticed ${durationText(change.noticedSecondsAgo)} ago, ${left}`;
}
