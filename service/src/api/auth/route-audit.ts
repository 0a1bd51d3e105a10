import type { AuditAction } from "../../audit/audit-actions.ts";

/**
 * The entry that each route which can change something or reads content leaves in the audit, exactly one when it did so. `null`: the route
 * manages nothing. A test compares the table with route-access.ts.
 */
export const routeAudit: Readonly<Record<string, AuditAction | null>> = {
  "POST /api/v1/auth/login": "log-in",
  "GET /api/v1/auth/oidc/callback": "log-in",
  "POST /api/v1/auth/logout": "log-out",
  "POST /api/v1/auth/switch": "account.switch",
  "DELETE /api/v1/auth/sessions": "session.end-others",
  "DELETE /api/v1/auth/sessions/:id": "session.end",
  "POST /api/v1/auth/totp": "totp.enrol",
  "POST /api/v1/auth/totp/confirm": "totp.confirm",
  "POST /api/v1/auth/totp/recovery-codes": "totp.recovery-codes-renew",
  "POST /api/v1/auth/totp/disable": "totp.disable",
  "POST /api/v1/auth/invitations/accept": "invitation.accept",
  "POST /api/v1/auth/invitations/join": "invitation.accept",
  "POST /api/v1/auth/password": "password.change",
  "POST /api/v1/auth/password-reset": "password.reset-request",
  "POST /api/v1/auth/password-reset/confirm": "password.reset",
  "POST /api/v1/invitations": "invitation.create",
  "DELETE /api/v1/invitations/:id": "invitation.revoke",
  "PATCH /api/v1/members/:id": "member.role-change",
  "DELETE /api/v1/members/:id": "member.remove",
  "PATCH /api/v1/account": "account.settings-change",
  "POST /api/v1/suppression": "suppression.add",
  "POST /api/v1/suppression/import": "suppression.import",
  "DELETE /api/v1/suppression/:email": "suppression.remove",
  "POST /api/v1/domains": "domain.register",
  "POST /api/v1/domains/:id/verify": "domain.verify",
  "POST /api/v1/domains/:id/mail-from": "domain.mail-from-change",
  "DELETE /api/v1/domains/:id": "domain.remove",
  "POST /api/v1/api-keys": "api-key.create",
  "POST /api/v1/api-keys/:id/roll": "api-key.roll",
  "DELETE /api/v1/api-keys/:id": "api-key.revoke",
  "POST /api/v1/webhooks": "webhook.create",
  "PATCH /api/v1/webhooks/:id": "webhook.change",
  "DELETE /api/v1/webhooks/:id": "webhook.delete",
  "POST /api/v1/webhooks/:id/rotate": "webhook.rotate",
  "POST /api/v1/webhooks/:id/test": "webhook.test",
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay": "webhook.replay",
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/curl": "webhook.curl",
  "POST /api/v1/webhooks/:id/replay": "webhook.replay-range",
  "POST /api/v1/webhooks/:id/replays/:replay_id/cancel": "webhook.replay-cancel",
  "POST /api/v1/webhooks/listeners": "webhook.create",
  // In the audit of the account that they touch.
  "POST /api/v1/operator/accounts/:id/hold": "account.hold",
  "POST /api/v1/operator/accounts/:id/release": "account.release",
  "POST /api/v1/operator/accounts/:id/guard": "account.guard-change",
  "POST /api/v1/operator/accounts/:id/guard/release": "account.guard-release",
  "PATCH /api/v1/operator/accounts/:id/limits": "account.limits-change",
  "PATCH /api/v1/operator/accounts/:id/quotas": "account.quotas-change",
  // Quarantined notifications belong to no account: in the audit of the account in which the operator is logged in.
  "POST /api/v1/operator/quarantine/:id/read": "quarantine.read",
  "POST /api/v1/operator/quarantine/replay": "quarantine.replay",

  "POST /api/v1/send/cancel": "send.cancel",
  "POST /api/v1/send/:id/cancel": "send.cancel",
  "GET /api/v1/send/:id/content": "content.read",
  "GET /api/v1/send/:id/content/attachments/:number": "content.read",
  "GET /api/v1/content-views/:token": "content.read",

  // Opening the view reads the content, and leaves the entry.
  "POST /api/v1/send/:id/content/view": null,
  // The token of the session is renewed; its theft ends the session and leaves session.end-stolen.
  "POST /api/v1/auth/refresh": null,
  // Once a second. The creation of the listener has its entry.
  "POST /api/v1/webhooks/listeners/:id/take": null,
  // Sends have records of their own.
  "POST /api/v1/send": null,
  "POST /api/v1/send/batch": null,
  "POST /api/v1/send/validate": null,
  "POST /api/v1/feedback/ses": null,
};
