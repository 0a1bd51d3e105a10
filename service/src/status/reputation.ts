import { amountText, countText, durationText } from "../plain-text.ts";
import type { ReputationFinding } from "../provider/email-provider.ts";
import type { Problem } from "./problem.ts";

/** What SES thinks of the AWS account (queue/read-quota.ts, queue/read-reputation.ts). Null: not known. */
export interface ReputationState {
  /** HEALTHY, PROBATION, SHUTDOWN or a new word of SES. */
  enforcementStatus: string | null;
  readSecondsAgo: number | null;
  /** At most 20, those with a high impact first; null when SES does not offer them to this AWS account. */
  findings: ReputationFinding[] | null;
  findingCount: number | null;
  findingsReadSecondsAgo: number | null;
}

export interface ReputationRow {
  enforcementStatus: string | null;
  enforcementReadSecondsAgo: number | null;
  findings: ReputationFinding[] | null;
  findingCount: number | null;
  findingsReadSecondsAgo: number | null;
}

export const reputationColumns = `
        enforcement_status as "enforcementStatus",
        extract(epoch from now() - enforcement_read_at)::float8 as "enforcementReadSecondsAgo",
        findings, finding_count as "findingCount",
        extract(epoch from now() - findings_read_at)::float8 as "findingsReadSecondsAgo"`;

export function reputationOf(row: ReputationRow | undefined): ReputationState {
  return {
    enforcementStatus: row?.enforcementStatus ?? null,
    readSecondsAgo: row?.enforcementReadSecondsAgo ?? null,
    findings: row?.findings ?? null,
    findingCount: row?.findingCount ?? null,
    findingsReadSecondsAgo: row?.findingsReadSecondsAgo ?? null,
  };
}

const seeRunbook = 'See docs/runbook.md, "SES reviews the AWS account".';
const runbook = "ses-reviews-the-aws-account";
const shownFindings = 3;

export function reputationProblems({ reputation }: { reputation: ReputationState }): Problem[] {
  return [...enforcementProblems(reputation), ...findingProblems(reputation)];
}

function enforcementProblems({ enforcementStatus, readSecondsAgo }: ReputationState): Problem[] {
  const when = `read ${durationText(readSecondsAgo ?? 0)} ago`;
  switch (enforcementStatus) {
    case null:
    case "HEALTHY":
      return [];
    case "PROBATION":
      return [
        {
          what: `SES has put the AWS account under review (PROBATION, ${when}) and stops all sending if the cause remains.`,
          advice: `Find the account with many bounces or complaints and put it on hold. ${seeRunbook}`,
          runbook,
        },
      ];
    case "SHUTDOWN":
      return [
        {
          what: `SES has stopped all sending of the AWS account (SHUTDOWN, ${when}).`,
          advice: `Remove the cause, then answer AWS in the support center. ${seeRunbook}`,
          runbook,
          stopsMail: true,
        },
      ];
    default:
      return [
        {
          what: `SES reports the status ${enforcementStatus} for the AWS account (${when}), which Postern does not know.`,
          advice: `AWS console, SES, Reputation metrics shows what it means. ${seeRunbook}`,
          runbook,
        },
      ];
  }
}

function findingProblems({ findings, findingCount, findingsReadSecondsAgo }: ReputationState): Problem[] {
  if (findings === null || findings.length === 0) return [];
  const count = findingCount ?? findings.length;
  const shown = findings.slice(0, shownFindings).map(findingText).join("; ");
  const more = count > shownFindings ? `; and ${countText(count - shownFindings)} more` : "";
  return [
    {
      what: `SES reports ${amountText(count, "reputation finding")}, read ${durationText(findingsReadSecondsAgo ?? 0)} ago: ${shown}${more}.`,
      advice: `AWS console, SES, Virtual Deliverability Manager, Advisor explains each finding. ${seeRunbook}`,
      runbook,
    },
  ];
}

function findingText({ kind, impact, resource }: ReputationFinding): string {
  return `${kind} (${impact.toLowerCase()} impact)${resource === "" ? "" : ` of ${resource}`}`;
}

/** One line of `postern status`. */
export function reputationText({ enforcementStatus, readSecondsAgo, findingCount }: ReputationState): string {
  if (enforcementStatus === null) return "not known yet";
  const findings = findingCount === null ? "findings not offered by SES" : amountText(findingCount, "finding");
  return `SES says ${enforcementStatus}, read ${durationText(readSecondsAgo ?? 0)} ago; ${findings}`;
}
