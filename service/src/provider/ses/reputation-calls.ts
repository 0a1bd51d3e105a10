import { ListRecommendationsCommand, type Recommendation, type SESv2Client } from "@aws-sdk/client-sesv2";
import type { EmailProvider, FindingKind, ReputationFinding } from "../email-provider.ts";
import type { ControlCall } from "./control-call.ts";

type ReputationCalls = Pick<EmailProvider, "listReputationFindings">;

const pageSize = 100;
const maxResourceLength = 300;

/** SES calls the findings recommendations. They need Virtual Deliverability Manager, which is off in most AWS accounts. */
export function reputationCalls(client: SESv2Client, call: ControlCall): ReputationCalls {
  return {
    async listReputationFindings(kind) {
      const command = new ListRecommendationsCommand({ Filter: { STATUS: "OPEN", TYPE: kind }, PageSize: pageSize });
      const { Recommendations } = await call((deadline) => client.send(command, deadline));
      return (Recommendations ?? []).map((recommendation) => findingFrom(kind, recommendation));
    },
  };
}

function findingFrom(kind: FindingKind, { Impact, ResourceArn }: Recommendation): ReputationFinding {
  return { kind, impact: Impact === "LOW" ? "LOW" : "HIGH", resource: (ResourceArn ?? "").slice(0, maxResourceLength) };
}
