import { randomBytes } from "node:crypto";
import type { Mode } from "../../src/mode.ts";
import { usualPassword } from "../../test/builders.ts";
import type { ScopeAccount } from "./scope-accounts.ts";

export interface RouteRequest {
  path: string;
  body?: Record<string, unknown>;
  /** Whether the path names a resource of the account: for another account it is 404. */
  namesResource?: true;
}

/** For each route that needs a credential a request about `account`, which may be the caller's own or another one. */
export const routeRequests: Record<string, (account: ScopeAccount, mode: Mode) => RouteRequest> = {
  "POST /api/v1/auth/logout": () => ({ path: "/api/v1/auth/logout" }),
  "GET /api/v1/auth/me": () => ({ path: "/api/v1/auth/me" }),
  "POST /api/v1/auth/switch": ({ accountId }) => ({ ...named("/api/v1/auth/switch"), body: { tenant_id: accountId } }),
  "POST /api/v1/auth/invitations/join": () => ({ path: "/api/v1/auth/invitations/join", body: { token: aName() } }),
  "GET /api/v1/auth/sessions": () => ({ path: "/api/v1/auth/sessions" }),
  "DELETE /api/v1/auth/sessions": () => ({ path: "/api/v1/auth/sessions" }),
  // The member has no session.
  "DELETE /api/v1/auth/sessions/:id": ({ memberId }) => ({ path: `/api/v1/auth/sessions/${memberId}` }),
  "POST /api/v1/auth/password": () => ({
    path: "/api/v1/auth/password",
    body: { current_password: usualPassword, new_password: "short" },
  }),
  "GET /api/v1/auth/totp": () => ({ path: "/api/v1/auth/totp" }),
  "POST /api/v1/auth/totp": () => ({ path: "/api/v1/auth/totp", body: { password: usualPassword } }),
  "POST /api/v1/auth/totp/confirm": () => ({ path: "/api/v1/auth/totp/confirm", body: { totp_code: "000000" } }),
  "POST /api/v1/auth/totp/recovery-codes": () => ({ path: "/api/v1/auth/totp/recovery-codes", body: aCode }),
  "POST /api/v1/auth/totp/disable": () => ({
    path: "/api/v1/auth/totp/disable",
    body: { password: usualPassword, ...aCode },
  }),
  "GET /api/v1/audit": () => ({ path: "/api/v1/audit" }),
  "GET /api/v1/audit/export": () => ({ path: "/api/v1/audit/export" }),
  "PATCH /api/v1/account": () => ({ path: "/api/v1/account", body: { totp_required: false } }),
  "GET /api/v1/members": () => ({ path: "/api/v1/members" }),
  "PATCH /api/v1/members/:id": ({ memberId }) => ({
    ...named(`/api/v1/members/${memberId}`),
    body: { role: "viewer" },
  }),
  "DELETE /api/v1/members/:id": ({ memberId }) => named(`/api/v1/members/${memberId}`),
  "GET /api/v1/invitations": () => ({ path: "/api/v1/invitations" }),
  "POST /api/v1/invitations": () => ({
    path: "/api/v1/invitations",
    body: { email: `${aName()}@example.test`, role: "viewer" },
  }),
  "DELETE /api/v1/invitations/:id": ({ invitationId }) => named(`/api/v1/invitations/${invitationId}`),
  "POST /api/v1/send": ({ domain }) => ({ path: "/api/v1/send", body: aMail(domain) }),
  "POST /api/v1/send/batch": ({ domain }) => ({ path: "/api/v1/send/batch", body: { mails: [aMail(domain)] } }),
  "POST /api/v1/send/validate": ({ domain }) => ({ path: "/api/v1/send/validate", body: aMail(domain) }),
  "POST /api/v1/send/cancel": () => ({ path: "/api/v1/send/cancel", body: { idempotency_key: aName() } }),
  "POST /api/v1/send/:id/cancel": ({ sends }, mode) => named(`/api/v1/send/${sends[mode]}/cancel`),
  "GET /api/v1/send/:id/status": ({ sends }, mode) => named(`/api/v1/send/${sends[mode]}/status`),
  "GET /api/v1/send/:id/timeline": ({ sends }, mode) => named(`/api/v1/send/${sends[mode]}/timeline`),
  "GET /api/v1/send/:id/content": ({ sends }, mode) => named(`/api/v1/send/${sends[mode]}/content`),
  "GET /api/v1/send/:id/content/attachments/:number": ({ sends }, mode) =>
    named(`/api/v1/send/${sends[mode]}/content/attachments/0`),
  "POST /api/v1/send/:id/content/view": ({ sends }, mode) => ({
    ...named(`/api/v1/send/${sends[mode]}/content/view`),
    body: {},
  }),
  "GET /api/v1/sends": () => ({ path: "/api/v1/sends" }),
  "GET /api/v1/sends/export": () => ({ path: "/api/v1/sends/export" }),
  "GET /api/v1/usage": () => ({ path: "/api/v1/usage" }),
  "GET /api/v1/requests": () => ({ path: "/api/v1/requests?status=4xx" }),
  "GET /api/v1/account": () => ({ path: "/api/v1/account" }),
  "GET /api/v1/events": () => ({ path: "/api/v1/events" }),
  "GET /api/v1/events/export": () => ({ path: "/api/v1/events/export?format=csv" }),
  "GET /api/v1/suppression/export": () => ({ path: "/api/v1/suppression/export" }),
  "GET /api/v1/suppression": () => ({ path: "/api/v1/suppression" }),
  "POST /api/v1/suppression": () => ({ path: "/api/v1/suppression", body: { email: `${aName()}@example.test` } }),
  "POST /api/v1/suppression/import": () => ({
    path: "/api/v1/suppression/import",
    body: { entries: [{ email: `${aName()}@example.test` }], dry_run: false },
  }),
  "GET /api/v1/suppression/:email": ({ suppressed }) => named(`/api/v1/suppression/${encodeURIComponent(suppressed)}`),
  "DELETE /api/v1/suppression/:email": ({ suppressed }) =>
    named(`/api/v1/suppression/${encodeURIComponent(suppressed)}`),
  "GET /api/v1/domains": () => ({ path: "/api/v1/domains" }),
  "GET /api/v1/domains/:id": ({ domainId }) => named(`/api/v1/domains/${domainId}`),
  "POST /api/v1/domains": () => ({ path: "/api/v1/domains", body: { domain_name: `${aName()}.example` } }),
  "POST /api/v1/domains/:id/verify": ({ domainId }) => named(`/api/v1/domains/${domainId}/verify`),
  "GET /api/v1/domains/:id/dns": ({ domainId }) => named(`/api/v1/domains/${domainId}/dns`),
  "POST /api/v1/domains/:id/mail-from": ({ domainId }) => ({
    ...named(`/api/v1/domains/${domainId}/mail-from`),
    body: { subdomain: "bounce" },
  }),
  "DELETE /api/v1/domains/:id": ({ domainId }) => named(`/api/v1/domains/${domainId}`),
  "GET /api/v1/api-keys": () => ({ path: "/api/v1/api-keys" }),
  "POST /api/v1/api-keys": () => ({ path: "/api/v1/api-keys", body: { name: "made", type: "test" } }),
  "POST /api/v1/api-keys/:id/roll": ({ keyId }) => ({
    ...named(`/api/v1/api-keys/${keyId}/roll`),
    body: { overlap_seconds: 0 },
  }),
  "DELETE /api/v1/api-keys/:id": ({ keyId }) => named(`/api/v1/api-keys/${keyId}`),
  "GET /api/v1/webhooks": () => ({ path: "/api/v1/webhooks" }),
  "POST /api/v1/webhooks": () => ({
    path: "/api/v1/webhooks",
    body: { url: "https://hooks.example.com/", types: ["send.sent"] },
  }),
  "GET /api/v1/webhooks/:id": ({ webhooks }, mode) => named(`/api/v1/webhooks/${webhooks[mode].id}`),
  "PATCH /api/v1/webhooks/:id": ({ webhooks }, mode) => ({
    ...named(`/api/v1/webhooks/${webhooks[mode].id}`),
    body: { description: aName() },
  }),
  "DELETE /api/v1/webhooks/:id": ({ webhooks }, mode) => named(`/api/v1/webhooks/${webhooks[mode].spareId}`),
  "POST /api/v1/webhooks/:id/rotate": ({ webhooks }, mode) => ({
    ...named(`/api/v1/webhooks/${webhooks[mode].id}/rotate`),
    body: { overlap_seconds: 0 },
  }),
  "POST /api/v1/webhooks/:id/test": ({ webhooks }, mode) => ({
    ...named(`/api/v1/webhooks/${webhooks[mode].id}/test`),
    body: { type: "send.sent" },
  }),
  "GET /api/v1/webhooks/:id/deliveries": ({ webhooks }, mode) =>
    named(`/api/v1/webhooks/${webhooks[mode].id}/deliveries`),
  "GET /api/v1/webhooks/:id/deliveries/:delivery_id": ({ webhooks }, mode) => named(deliveryOf(webhooks[mode])),
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay": ({ webhooks }, mode) =>
    named(`${deliveryOf(webhooks[mode])}/replay`),
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/curl": ({ webhooks }, mode) =>
    named(`${deliveryOf(webhooks[mode])}/curl`),
  "POST /api/v1/webhooks/:id/replay": ({ webhooks }, mode) => ({
    ...named(`/api/v1/webhooks/${webhooks[mode].id}/replay`),
    body: aRange,
  }),
  "GET /api/v1/webhooks/:id/replays": ({ webhooks }, mode) => named(`/api/v1/webhooks/${webhooks[mode].id}/replays`),
  "GET /api/v1/webhooks/:id/replays/:replay_id": ({ webhooks }, mode) => named(replayOf(webhooks[mode])),
  "POST /api/v1/webhooks/:id/replays/:replay_id/cancel": ({ webhooks }, mode) =>
    named(`${replayOf(webhooks[mode])}/cancel`),
  "POST /api/v1/webhooks/listeners": () => ({ path: "/api/v1/webhooks/listeners", body: {} }),
  "POST /api/v1/webhooks/listeners/:id/take": ({ webhooks }, mode) => ({
    ...named(`/api/v1/webhooks/listeners/${webhooks[mode].listenerId}/take`),
    body: {},
  }),
  "GET /api/v1/operator/status": () => ({ path: "/api/v1/operator/status" }),
  "GET /api/v1/operator/processes": () => ({ path: "/api/v1/operator/processes" }),
  "GET /api/v1/operator/ses": () => ({ path: "/api/v1/operator/ses" }),
  "GET /api/v1/operator/accounts": () => ({ path: "/api/v1/operator/accounts?limit=2" }),
  "GET /api/v1/operator/accounts/:id": ({ accountId }) => ({ path: `/api/v1/operator/accounts/${accountId}` }),
  "GET /api/v1/operator/quarantine": () => ({ path: "/api/v1/operator/quarantine" }),
  // An operator may act on every account, so none of these is 404 for another one.
  "POST /api/v1/operator/accounts/:id/hold": ({ accountId }) => onAccount(accountId, "hold"),
  "POST /api/v1/operator/accounts/:id/release": ({ accountId }) => onAccount(accountId, "release"),
  "POST /api/v1/operator/accounts/:id/guard": ({ accountId }) => onAccount(accountId, "guard", { on: true }),
  "POST /api/v1/operator/accounts/:id/guard/release": ({ accountId }) => onAccount(accountId, "guard/release"),
  "PATCH /api/v1/operator/accounts/:id/limits": ({ accountId }) => onAccount(accountId, "limits", { domains: 100 }),
  "PATCH /api/v1/operator/accounts/:id/quotas": ({ accountId }) => onAccount(accountId, "quotas", { trial: null }),
  // The scope is checked before the entry, which does not exist.
  "POST /api/v1/operator/quarantine/:id/read": () => ({ path: "/api/v1/operator/quarantine/1/read", body: aReason }),
  "POST /api/v1/operator/quarantine/replay": () => ({ path: "/api/v1/operator/quarantine/replay", body: aReason }),
};

function deliveryOf({ id, deliveryId }: ScopeAccount["webhooks"][Mode]): string {
  return `/api/v1/webhooks/${id}/deliveries/${deliveryId}`;
}

function replayOf({ id, replayId }: ScopeAccount["webhooks"][Mode]): string {
  return `/api/v1/webhooks/${id}/replays/${replayId}`;
}

const aReason = { reason: "a proof" };
const aRange = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };

function onAccount(accountId: string, action: string, body: Record<string, unknown> = {}): RouteRequest {
  return { path: `/api/v1/operator/accounts/${accountId}/${action}`, body: { ...aReason, ...body } };
}

const aCode = { totp_code: "000000" };

function named(path: string): RouteRequest {
  return { path, namesResource: true };
}

function aMail(domain: string) {
  return { from: `a@${domain}`, to: [`${aName()}@example.test`], subject: "Hello", text: "Hi" };
}

function aName(): string {
  return `n${randomBytes(6).toString("hex")}`;
}
