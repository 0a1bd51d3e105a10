import { type AuditedRequests, by, canary, type RequestDeps } from "./audited-request.ts";
import { aLogin } from "./builders.ts";
import { aDelivery, aReplay, aWebhook } from "./webhook-builders.ts";

const types = ["send.bounced"] as const;

export const webhookRequests: AuditedRequests = {
  "POST /api/v1/webhooks": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const url = aUrl();
    const after = { url, description: null, types, mode: "live", enabled: true };
    const entry = { actorName: user.email, targetName: url, before: null, after };
    const isDone = "exists (select from webhook_endpoints where url = $1)";
    return { ...by(user), path: "/api/v1/webhooks", body: { url, types }, isDone, subject: url, entry };
  },
  "PATCH /api/v1/webhooks/:id": async (deps) => {
    const { request, id, names, facts } = await anOwnWebhook(deps);
    const entry = { ...names, before: facts, after: { ...facts, enabled: false } };
    const isDone = "exists (select from webhook_endpoints where id = $1 and disabled_at is not null)";
    return { ...request, body: { enabled: false }, isDone, subject: id, entry };
  },
  "DELETE /api/v1/webhooks/:id": async (deps) => {
    const { request, id, names, facts } = await anOwnWebhook(deps);
    const entry = { ...names, before: facts, after: null };
    const isDone = "not exists (select from webhook_endpoints where id = $1)";
    return { ...request, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/rotate": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const entry = { ...names, before: null, after: {} };
    const isDone = "(select count(*) from webhook_secrets where endpoint_id = $1) > 1";
    const path = `${request.path}/rotate`;
    return { ...request, path, body: { overlap_seconds: 60 }, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/test": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const entry = { ...names, before: null, after: { type: "send.sent" } };
    const isDone = "exists (select from webhook_deliveries where endpoint_id = $1 and is_test)";
    return { ...request, path: `${request.path}/test`, body: { type: "send.sent" }, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const delivery_id = await aDelivery(deps.db, { accountId: request.accountId, endpointId: id });
    const entry = { ...names, before: null, after: { delivery_id, type: "send.bounced" } };
    const isDone = "exists (select from webhook_deliveries where endpoint_id = $1 and is_replay)";
    const path = `${request.path}/deliveries/${delivery_id}/replay`;
    return { ...request, path, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/curl": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const delivery_id = await aDelivery(deps.db, { accountId: request.accountId, endpointId: id });
    const entry = { ...names, before: null, after: { delivery_id, type: "send.bounced" } };
    const path = `${request.path}/deliveries/${delivery_id}/curl`;
    // Nothing but the entry shows that somebody made the command.
    const isDone = "exists (select from audit_entries where target_id = $1::text and action = 'webhook.curl')";
    return { ...request, path, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/replay": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const body = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
    const entry = {
      ...names,
      before: null,
      after: { from: "2026-01-01T00:00:00+00:00", to: "2026-01-02T00:00:00+00:00", only_failed: false },
    };
    const isDone = "exists (select from webhook_replays where endpoint_id = $1)";
    return { ...request, path: `${request.path}/replay`, body, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/:id/replays/:replay_id/cancel": async (deps) => {
    const { request, id, names } = await anOwnWebhook(deps);
    const replay_id = await aReplay(deps.db, { accountId: request.accountId, endpointId: id });
    const entry = { ...names, before: null, after: { replay_id, deliveries: 0 } };
    const isDone = "exists (select from webhook_replays where endpoint_id = $1 and state = 'cancelled')";
    return { ...request, path: `${request.path}/replays/${replay_id}/cancel`, isDone, subject: id, entry };
  },
  "POST /api/v1/webhooks/listeners": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const after = { url: listener, description: null, types, mode: "live", enabled: true };
    const entry = { actorName: user.email, targetName: listener, before: null, after };
    const isDone = "exists (select from webhook_endpoints where account_id = $1 and listens_until is not null)";
    const subject = user.accountId;
    return { ...by(user), path: "/api/v1/webhooks/listeners", body: { types }, isDone, subject, entry };
  },
};

const listener = "postern listen";

async function anOwnWebhook({ db, loginDeps }: RequestDeps) {
  const user = await aLogin(db, loginDeps);
  const url = aUrl();
  const id = await aWebhook(db, { accountId: user.accountId, url, types });
  return {
    id,
    request: { ...by(user), path: `/api/v1/webhooks/${id}` },
    names: { actorName: user.email, targetName: url },
    facts: { url, description: null, types, mode: "live", enabled: true },
  };
}

const aUrl = () => `https://${canary()}.example.com/hooks`;
