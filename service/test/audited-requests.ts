import { contentRequests } from "./audited-content.ts";
import { operatorRequests } from "./audited-operator.ts";
import { peopleRequests } from "./audited-people.ts";
import type { AuditedRequests } from "./audited-request.ts";
import { cancelRequests } from "./audited-sends.ts";
import { sessionRequests } from "./audited-sessions.ts";
import { settingRequests } from "./audited-settings.ts";
import { totpRequests } from "./audited-totp.ts";
import { webhookRequests } from "./audited-webhooks.ts";

/** One for each route that leaves an audit entry, except the callback of OIDC, which needs an issuer. */
export const auditedRequests: AuditedRequests = {
  ...sessionRequests,
  ...totpRequests,
  ...peopleRequests,
  ...settingRequests,
  ...contentRequests,
  ...cancelRequests,
  ...webhookRequests,
  ...operatorRequests,
};
