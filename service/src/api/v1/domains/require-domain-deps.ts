import type { DomainDeps } from "../../../domains/register-domain.ts";
import { AppError } from "../../../errors.ts";
import type { ApiDeps } from "../../http/api-server.ts";

export function requireDomainDeps({ domainDeps }: ApiDeps): DomainDeps {
  if (domainDeps !== undefined) return domainDeps;
  const message =
    "This installation is not connected to AWS: the setting AWS_FEEDBACK_TOPIC_ARN is missing. The operator must run " +
    "`postern aws setup`, add the printed line to .env and restart the API.";
  throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 60 });
}
