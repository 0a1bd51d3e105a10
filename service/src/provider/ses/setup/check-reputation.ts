import { amountText } from "../../../plain-text.ts";
import { findingKinds, type Quota, type ReputationFinding } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { AwsActionError, hasInvalidCredentials, withActionName } from "./aws-action.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import type { SetUpCheckContext } from "./set-up-check-context.ts";

const action = "ses:ListRecommendations";

export function enforcementFindings({ enforcementStatus }: Quota): Finding[] {
  if (enforcementStatus === undefined) return [];
  if (enforcementStatus === "HEALTHY")
    return [ok("account.enforcement", "SES does not object to the mail of the AWS account (HEALTHY)")];
  return [
    problem(
      "account.enforcement",
      `SES objects to the mail of the AWS account (${enforcementStatus})`,
      "find the cause in the SES console under Reputation metrics, remove it, and answer AWS in the support center",
    ),
  ];
}

/** Neither Virtual Deliverability Manager nor the permission is required: the findings only warn. */
export async function checkReputation({ options, rateLimited }: SetUpCheckContext): Promise<Finding[]> {
  const { region, endpoints } = options;
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: "", partition: "" });
  const findings: Finding[] = [];
  try {
    for (const kind of findingKinds) {
      const found = await withActionName(action, () => rateLimited(() => provider.listReputationFindings(kind)));
      if (found[0] !== undefined) findings.push(reputationProblem(found.length, found[0]));
    }
  } catch (error) {
    if (!(error instanceof AwsActionError) || hasInvalidCredentials(error)) throw error;
    if (error.reason.kind === "denied") {
      return [
        note(
          "reputation",
          "the reputation findings of SES cannot be read",
          `to see them, grant the permission ${action}`,
        ),
      ];
    }
    if (error.reason.kind !== "invalid") throw error;
    return [ok("reputation", "SES offers no reputation findings, because Virtual Deliverability Manager is disabled")];
  }
  return findings.length > 0 ? findings : [ok("reputation", "SES reports no reputation findings")];
}

function reputationProblem(count: number, { kind, impact, resource }: ReputationFinding): Finding {
  return problem(
    "reputation",
    `SES reports ${amountText(count, "reputation finding")} of the kind ${kind}; the first has ${impact.toLowerCase()} impact on ${resource}`,
    "the SES console explains it under Virtual Deliverability Manager, Advisor",
  );
}
