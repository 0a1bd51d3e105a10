import type { Mode } from "../../src/mode.ts";
import { usualPassword } from "../../test/builders.ts";
import { commonIdempotencyKey, commonSuppressed, type Tenant } from "./tenant-accounts.ts";

/** A request of one account for a resource of its own or of another account. */
export interface Probe {
  operation: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: Record<string, unknown>;
  /**
   * `absent` names a resource of another account and must not find it. `own` reads and `change` changes an own resource. `operator` reaches
   * all accounts, and is refused to everybody but an operator.
   */
  kind: "absent" | "own" | "change" | "operator";
}

/** These operations take a credential, a mailed token or a code and no id of an account's resource; other proofs cover credentials. */
export const operationsWithoutIds = [
  "healthz",
  "readyz",
  "logIn",
  "refreshLogin",
  "logOut",
  "getLoginMethods",
  "changePassword",
  "confirmTotp",
  "renewRecoveryCodes",
  "disableTotp",
  "acceptInvitation",
  "joinByInvitation",
  "requestPasswordReset",
  "resetPassword",
  "showContent",
  "jwks",
  "receiveSesNotification",
];

const newest = "ffffffff-ffff-7fff-bfff-ffffffffffff";
/** Reads of own resources; the answer must show nothing of other accounts. */
export function probesOfOwn({ sends, domainIds, webhooks }: Tenant, shown: readonly Mode[]): Probe[] {
  const shownSends = sends.filter(({ mode }) => shown.includes(mode));
  return [
    ...shownSends.flatMap(({ id, mode }) => [
      own("getSendTimeline", `/send/${id}/timeline?mode=${mode}`),
      own("getSendStatus", `/send/${id}/status?mode=${mode}`),
      own("getSendContent", `/send/${id}/content?mode=${mode}`),
      own("getAttachment", `/send/${id}/content/attachments/0?mode=${mode}`),
    ]),
    ...domainIds.map((id) => own("getDomain", `/domains/${id}`)),
    ...webhooks
      .filter(({ mode }) => shown.includes(mode))
      .flatMap(({ id, deliveryId, replayId }) => [
        own("getWebhook", `/webhooks/${id}`),
        own("listWebhookDeliveries", `/webhooks/${id}/deliveries`),
        own("listWebhookDeliveries", `/webhooks/${id}/deliveries?state=failed&before=${newest}`),
        own("listWebhookDeliveries", `/webhooks/${id}/deliveries?type=send.bounced&send_id=${newest}`),
        own("getWebhookDelivery", `/webhooks/${id}/deliveries/${deliveryId}`),
        own("listWebhookReplays", `/webhooks/${id}/replays`),
        own("getWebhookReplay", `/webhooks/${id}/replays/${replayId}`),
      ]),
    own("listWebhooks", "/webhooks"),
    own("getAccount", "/account"),
    own("getUsage", "/usage"),
    own("getUsage", "/usage?group=domain"),
    own("getUsage", "/usage?group=api_key&by=day"),
    own("getUsage", "/usage?group=tag&by=range"),
    own("listRequests", "/requests"),
    own("listRequests", `/requests?status=4xx&before=${newest}`),
    own("getMe", "/auth/me"),
    own("listSessions", "/auth/sessions"),
    own("getTotp", "/auth/totp"),
    own("listMembers", "/members"),
    own("listInvitations", "/invitations"),
    own("listAudit", "/audit"),
    own("listAudit", `/audit?before=${newest}`),
    own("exportAudit", "/audit/export"),
    own("listApiKeys", "/api-keys"),
    own("listDomains", "/domains"),
    own("listSends", "/sends"),
    own("listEvents", "/events"),
    own("listEvents", `/events?before=${newest}`),
    own("exportSends", "/sends/export"),
    own("exportEvents", "/events/export?format=csv"),
    own("exportSuppressions", "/suppression/export"),
    own("listSuppressions", "/suppression"),
    own("getSuppression", `/suppression/${commonSuppressed}`),
    own("listSuppressions", `/suppression?before=${newest}`),
    own("listSuppressions", "/suppression?reason=hard_bounce"),
    ...shown.flatMap((mode) => [
      own("getUsage", `/usage?group=domain&mode=${mode}`),
      own("listSends", `/sends?mode=${mode}`),
      own("listEvents", `/events?mode=${mode}`),
      own("listEvents", `/events?mode=${mode}&before=${newest}`),
      own("listSuppressions", `/suppression?mode=${mode}`),
      own("listSuppressions", `/suppression?mode=${mode}&before=${newest}`),
    ]),
  ];
}

/**
 * Every id and name of `other`, in every parameter that takes one, without a mode and with every mode that the caller may name. Reads come
 * first, before a change can remove their target.
 */
export function probesOfOther(other: Tenant, shown: readonly Mode[]): Probe[] {
  const { tag, domain, suppressed } = other;
  return [
    ...other.sends.flatMap(({ id }) => [
      absent("getSendStatus", "GET", `/send/${id}/status`),
      absent("getSendTimeline", "GET", `/send/${id}/timeline`),
      absent("getSendContent", "GET", `/send/${id}/content`),
      absent("getAttachment", "GET", `/send/${id}/content/attachments/0`),
      absent("createContentView", "POST", `/send/${id}/content/view`, {}),
      absent("cancelSend", "POST", `/send/${id}/cancel`),
      // Without a key of its own, the id of a send is its key.
      absent("cancelSendByKey", "POST", "/send/cancel", { idempotency_key: id }),
      own("listEvents", `/events?email_id=${id}`),
      own("listSends", `/sends?before=${id}`),
    ]),
    ...withEachMode(other.sends, shown).flatMap(({ id, mode }) => [
      absent("getSendStatus", "GET", `/send/${id}/status?mode=${mode}`),
      absent("getSendTimeline", "GET", `/send/${id}/timeline?mode=${mode}`),
      absent("getSendContent", "GET", `/send/${id}/content?mode=${mode}`),
      absent("getAttachment", "GET", `/send/${id}/content/attachments/0?mode=${mode}`),
      own("listEvents", `/events?mode=${mode}&email_id=${id}`),
      own("listSends", `/sends?mode=${mode}&before=${id}`),
      own("listSends", `/sends?mode=${mode}&recipient=to@${tag}.test`),
      own("listSends", `/sends?mode=${mode}&domain=${domain}`),
      own("listEvents", `/events?mode=${mode}&recipient=to@${tag}.test`),
    ]),
    ...other.eventIds.map((id) => own("listEvents", `/events?before=${id}`)),
    own("listRequests", `/requests?request_id=${tag}.request`),
    ...other.keyIds.map((id) => own("listRequests", `/requests?api_key_id=${id}`)),
    {
      operation: "validateSend",
      method: "POST",
      path: "/api/v1/send/validate",
      kind: "own",
      body: { ...aMail(domain, suppressed), idempotency_key: commonIdempotencyKey },
    },
    { operation: "send", method: "POST", path: "/api/v1/send", kind: "absent", body: aMail(domain, suppressed) },
    {
      operation: "sendBatch",
      method: "POST",
      path: "/api/v1/send/batch",
      kind: "absent",
      body: { mails: [aMail(domain, suppressed)] },
    },
    ...other.domainIds.flatMap((id) => [
      absent("getDomain", "GET", `/domains/${id}`),
      absent("getDomainDns", "GET", `/domains/${id}/dns`),
      absent("verifyDomain", "POST", `/domains/${id}/verify`),
      absent("setMailFrom", "POST", `/domains/${id}/mail-from`, { subdomain: "bounce" }),
      absent("removeDomain", "DELETE", `/domains/${id}`),
    ]),
    ...other.keyIds.flatMap((id) => [
      absent("rollApiKey", "POST", `/api-keys/${id}/roll`, { overlap_seconds: 0 }),
      absent("revokeApiKey", "DELETE", `/api-keys/${id}`),
    ]),
    ...probesOfWebhooks(other),
    ...probesOfPeople(other),
    absent("getSuppression", "GET", `/suppression/${suppressed}`),
    ...shown.map((mode) => absent("getSuppression", "GET", `/suppression/${suppressed}?mode=${mode}`)),
    absent("removeSuppression", "DELETE", `/suppression/${suppressed}`),
    ...shown.map((mode) => absent("removeSuppression", "DELETE", `/suppression/${suppressed}?mode=${mode}`)),
    ...operatorProbes(other),
  ];
}

function probesOfWebhooks({ webhooks }: Tenant): Probe[] {
  return webhooks.flatMap(({ id, deliveryId, sendId, replayId, listenerId }) => [
    absent("getWebhook", "GET", `/webhooks/${id}`),
    absent("listWebhookDeliveries", "GET", `/webhooks/${id}/deliveries`),
    absent("listWebhookDeliveries", "GET", `/webhooks/${id}/deliveries?send_id=${sendId}`),
    absent("getWebhookDelivery", "GET", `/webhooks/${id}/deliveries/${deliveryId}`),
    absent("replayWebhookDelivery", "POST", `/webhooks/${id}/deliveries/${deliveryId}/replay`),
    absent("getWebhookDeliveryCurl", "POST", `/webhooks/${id}/deliveries/${deliveryId}/curl`),
    absent("replayWebhook", "POST", `/webhooks/${id}/replay`, aRange),
    absent("listWebhookReplays", "GET", `/webhooks/${id}/replays`),
    absent("getWebhookReplay", "GET", `/webhooks/${id}/replays/${replayId}`),
    absent("cancelWebhookReplay", "POST", `/webhooks/${id}/replays/${replayId}/cancel`),
    absent("changeWebhook", "PATCH", `/webhooks/${id}`, { url: "https://hooks.example.com/", enabled: false }),
    absent("rotateWebhookSecret", "POST", `/webhooks/${id}/rotate`, { overlap_seconds: 0 }),
    absent("testWebhook", "POST", `/webhooks/${id}/test`, { type: "send.sent" }),
    absent("deleteWebhook", "DELETE", `/webhooks/${id}`),
    absent("takeNotifications", "POST", `/webhooks/listeners/${listenerId}/take`, {}),
    absent("deleteWebhook", "DELETE", `/webhooks/${listenerId}`),
  ]);
}

function probesOfPeople({ accountId, tag, spareKeyId, member, invitationId, sessionId }: Tenant): Probe[] {
  return [
    own("listAudit", `/audit?target=${spareKeyId}`),
    own("listAudit", `/audit?target=${tag}`),
    own("exportAudit", `/audit/export?actor=${member.id}`),
    absent("switchAccount", "POST", "/auth/switch", { tenant_id: accountId }),
    absent("endSession", "DELETE", `/auth/sessions/${sessionId}`),
    // A member of another account can be invited like anybody.
    change("inviteMember", "POST", "/invitations", { email: member.email, role: "viewer" }),
    absent("changeRole", "PATCH", `/members/${member.id}`, { role: "developer" }),
    absent("removeMember", "DELETE", `/members/${member.id}`),
    absent("deleteInvitation", "DELETE", `/invitations/${invitationId}`),
  ];
}

/** The owners of the accounts are no operators. */
function operatorProbes({ accountId }: Tenant): Probe[] {
  const account = `/accounts/${accountId}`;
  return [
    forOperator("getOperatorStatus", "GET", "/status"),
    forOperator("listProcesses", "GET", "/processes"),
    forOperator("getSesState", "GET", "/ses"),
    forOperator("listAccounts", "GET", "/accounts"),
    forOperator("getOperatorAccount", "GET", account),
    forOperator("listQuarantine", "GET", "/quarantine"),
    forOperator("readQuarantined", "POST", "/quarantine/1/read", {}),
    forOperator("holdAccount", "POST", `${account}/hold`, {}),
    forOperator("releaseAccount", "POST", `${account}/release`, {}),
    forOperator("switchGuard", "POST", `${account}/guard`, { on: false }),
    forOperator("releaseFromGuard", "POST", `${account}/guard/release`, {}),
    forOperator("changeLimits", "PATCH", `${account}/limits`, { per_second: 1 }),
    forOperator("changeQuotas", "PATCH", `${account}/quotas`, { trial: null }),
    forOperator("replayQuarantine", "POST", "/quarantine/replay", {}),
  ];
}

function withEachMode(sends: Tenant["sends"], shown: readonly Mode[]) {
  return sends.flatMap(({ id }) => shown.map((mode) => ({ id, mode })));
}

/** What the changes of one round remove. */
export interface Spares {
  domainId: number;
  memberId: string;
  invitationId: string;
  /** In a mode of the credential. */
  webhook: { id: string; deliveryId: string; replayId: string; listenerId: string };
}

/** Changes of own resources while other accounts have equal ones. */
export function probesThatChange({ domain, tag, spareKeyId, sends }: Tenant, round: string, spares: Spares): Probe[] {
  const mail = { ...aMail(domain, `to@${tag}.test`), idempotency_key: commonIdempotencyKey };
  return [
    { operation: "send", method: "POST", path: "/api/v1/send", kind: "change", body: mail },
    change("cancelSendByKey", "POST", "/send/cancel", { idempotency_key: commonIdempotencyKey }),
    ...sends.map(({ id }) => change("cancelSend", "POST", `/send/${id}/cancel`)),
    ...sends.map(({ id }) => change("createContentView", "POST", `/send/${id}/content/view`, {})),
    change("createApiKey", "POST", "/api-keys", { name: tag, type: "live" }),
    change("rollApiKey", "POST", `/api-keys/${spareKeyId}/roll`, { overlap_seconds: 0 }),
    change("registerDomain", "POST", "/domains", { domain_name: `${round}-${tag}.io` }),
    change("verifyDomain", "POST", `/domains/${spares.domainId}/verify`),
    change("setMailFrom", "POST", `/domains/${spares.domainId}/mail-from`, { subdomain: "bounce" }),
    change("removeDomain", "DELETE", `/domains/${spares.domainId}`),
    ...changesOfWebhooks(spares.webhook, tag),
    change("changeAccount", "PATCH", "/account", { totp_required: false }),
    change("inviteMember", "POST", "/invitations", { email: `new@${tag}.test`, role: "viewer" }),
    change("deleteInvitation", "DELETE", `/invitations/${spares.invitationId}`),
    change("changeRole", "PATCH", `/members/${spares.memberId}`, { role: "developer" }),
    change("removeMember", "DELETE", `/members/${spares.memberId}`),
    change("enrolTotp", "POST", "/auth/totp", { password: usualPassword }),
    change("endOtherSessions", "DELETE", "/auth/sessions"),
    change("importSuppressions", "POST", "/suppression/import", {
      entries: [{ email: `imported@${tag}.test` }, { email: commonSuppressed, reason: "complaint" }],
      dry_run: false,
    }),
    change("addSuppression", "POST", "/suppression", { email: `added@${tag}.test` }),
    change("removeSuppression", "DELETE", `/suppression/${commonSuppressed}`),
  ];
}

const aRange = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };

function changesOfWebhooks({ id, deliveryId, replayId, listenerId }: Spares["webhook"], tag: string): Probe[] {
  return [
    change("createWebhook", "POST", "/webhooks", { url: `https://new.${tag}.example.com/`, types: ["send.sent"] }),
    change("changeWebhook", "PATCH", `/webhooks/${id}`, { description: tag }),
    change("rotateWebhookSecret", "POST", `/webhooks/${id}/rotate`, { overlap_seconds: 60 }),
    change("testWebhook", "POST", `/webhooks/${id}/test`, { type: "send.sent" }),
    change("replayWebhookDelivery", "POST", `/webhooks/${id}/deliveries/${deliveryId}/replay`),
    change("getWebhookDeliveryCurl", "POST", `/webhooks/${id}/deliveries/${deliveryId}/curl`),
    change("cancelWebhookReplay", "POST", `/webhooks/${id}/replays/${replayId}/cancel`),
    change("replayWebhook", "POST", `/webhooks/${id}/replay`, aRange),
    change("deleteWebhook", "DELETE", `/webhooks/${id}`),
    change("createWebhookListener", "POST", "/webhooks/listeners", { types: ["send.sent"] }),
    change("takeNotifications", "POST", `/webhooks/listeners/${listenerId}/take`, { limit: 1 }),
    change("deleteWebhook", "DELETE", `/webhooks/${listenerId}`),
  ];
}

function aMail(domain: string, recipient: string) {
  return { from: `orders@${domain}`, to: [recipient, commonSuppressed], subject: "Hello", text: "Hi" };
}

function own(operation: string, path: string): Probe {
  return { operation, method: "GET", path: `/api/v1${path}`, kind: "own" };
}

function absent(operation: string, method: Probe["method"], path: string, body?: Record<string, unknown>): Probe {
  return { operation, method, path: `/api/v1${path}`, kind: "absent", ...(body === undefined ? {} : { body }) };
}

function change(operation: string, method: Probe["method"], path: string, body?: Record<string, unknown>): Probe {
  return { operation, method, path: `/api/v1${path}`, kind: "change", ...(body === undefined ? {} : { body }) };
}

function forOperator(operation: string, method: Probe["method"], path: string, body?: Record<string, unknown>): Probe {
  const reasoned = body === undefined ? {} : { body: { reason: "a probe", ...body } };
  return { operation, method, path: `/api/v1/operator${path}`, kind: "operator", ...reasoned };
}
