import { randomUUID } from "node:crypto";
import type { Queryable } from "../../db/database.ts";
import type { EmailProvider, OutgoingMail, SubmitResult } from "../email-provider.ts";
import type { Feedback } from "../feedback.ts";
import { insertReports, type NewReport } from "./report-store.ts";
import { type PlannedReport, reportsFor, type Scenario, scenarioOf } from "./scenarios.ts";

/**
 * The provider of test mail. It accepts mail, discards it, and reports the outcome that each recipient address selects.
 * It has no client, no endpoint and no credential, so no setting can make it send real mail.
 */
export function createSandbox(db: Queryable): Pick<EmailProvider, "submit"> {
  return {
    submit: async (mail, mayStart = () => true) =>
      mayStart()
        ? submit(db, mail)
        : { kind: "not-started", message: "The time to submit was over.", requestId: undefined },
  };
}

async function submit(db: Queryable, mail: OutgoingMail): Promise<SubmitResult> {
  const recipients = [...mail.to, ...mail.cc, ...mail.bcc];
  const scenarios = new Set(recipients.map(scenarioOf));
  const requestId = `sandbox-${randomUUID()}`;
  if (recipients.length === 0) return refused("The mail has no recipient.", requestId);
  if (scenarios.has("rejected")) return refused("The sandbox rejects mail to rejected@sandbox.test.", requestId);
  if (scenarios.has("throttled") && mail.tags.attempt === 1) {
    return { kind: "try-later", hold: undefined, isThrottled: true, message: "The sandbox throttles.", requestId };
  }
  try {
    await insertReports(db, reportsOf(mail, requestId, recipients, scenarios));
  } catch {
    return { kind: "unknown", message: "The database did not confirm that the reports are stored.", requestId };
  }
  if (scenarios.has("unknown") && mail.tags.attempt === 1) {
    return { kind: "unknown", message: "The sandbox accepted the mail and returned no answer.", requestId };
  }
  return { kind: "accepted", providerMessageId: requestId, requestId };
}

function refused(message: string, requestId: string): SubmitResult {
  return { kind: "refused", code: "PROVIDER_REJECTED", message, unverified: [], requestId };
}

/** One report that the sandbox accepted the mail, and the reports of each recipient's scenario. */
function reportsOf(
  mail: OutgoingMail,
  providerMessageId: string,
  recipients: string[],
  scenarios: Set<Scenario>,
): NewReport[] {
  const { sendId, attempt } = mail.tags;
  const common = { providerMessageId, sendId, attempt };
  const acceptance: PlannedReport = {
    specific: { kind: "send" },
    happensInSeconds: 0,
    reportedInSeconds: scenarios.has("unknown") ? 1 : 0.1,
    times: scenarios.has("duplicated") ? 3 : 1,
  };
  const planned = [
    { report: acceptance, about: recipients },
    ...recipients.flatMap((recipient) =>
      reportsFor(scenarioOf(recipient)).map((report) => ({ report, about: [recipient] })),
    ),
  ];
  return planned.flatMap(({ report, about }, number) => {
    const feedback: Omit<Feedback, "at" | "submittedAt"> = {
      ...report.specific,
      ...common,
      recipients: about,
      feedbackId: `${providerMessageId}-${number}`,
    };
    return Array.from({ length: report.times }, () => ({
      feedback,
      happensInSeconds: report.happensInSeconds,
      reportedInSeconds: report.reportedInSeconds,
    }));
  });
}
