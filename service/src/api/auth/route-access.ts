import type { Role } from "../../accounts/role.ts";
import type { KeyScope } from "../../api-keys/scopes.ts";
import { consolePaths } from "../http/console/console-paths.ts";

export interface CallerAccess {
  /** The scope that an API key needs. `any`: every valid key; `never`: only a JWT. */
  key: KeyScope | "send-or-read" | "any" | "never";
  /**
   * The least role that a user needs in the account of the token. `any-user`: every user, for what concerns only that user. `operator`:
   * an operator of the installation, whose role in the account does not matter (require-operator.ts).
   */
  role: Role | "any-user" | "operator";
  /** With both headers the one in Authorization counts (interface, section 5, item 2). Elsewhere X-API-Key counts. */
  prefersJwt?: true;
  /** What a request counts against the limit of the account for changes. Without it nothing. */
  writeCost?: number;
  public?: never;
}

export type RouteAccess = CallerAccess | { public: true };

const open: RouteAccess = { public: true };

/** Who may call each route. Every route of the API has an entry; a test compares the table with the server. */
export const routeAccess: Readonly<Record<string, RouteAccess>> = {
  "GET /": open,
  ...Object.fromEntries(consolePaths.map((path) => [`GET ${path}`, open])),
  "GET /assets/:name": open,
  "GET /healthz": open,
  "GET /readyz": open,
  "GET /openapi.json": open,
  "GET /errors": open,
  "GET /errors/:code": open,
  "GET /.well-known/jwks.json": open,
  // The signature of SNS authenticates it.
  "POST /api/v1/feedback/ses": open,

  "POST /api/v1/auth/login": open,
  "POST /api/v1/auth/refresh": open,
  // A person who is not logged in opens these: the cookie of the start and the ID token of the issuer authenticate the callback.
  "GET /api/v1/auth/oidc/start": open,
  "GET /api/v1/auth/oidc/callback": open,
  "GET /api/v1/auth/methods": open,
  "POST /api/v1/auth/logout": { key: "never", role: "any-user", prefersJwt: true },
  "GET /api/v1/auth/sessions": { key: "never", role: "any-user", prefersJwt: true },
  "DELETE /api/v1/auth/sessions": { key: "never", role: "any-user", prefersJwt: true },
  "DELETE /api/v1/auth/sessions/:id": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/password": { key: "never", role: "any-user", prefersJwt: true },
  "GET /api/v1/auth/totp": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/totp": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/totp/confirm": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/totp/recovery-codes": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/totp/disable": { key: "never", role: "any-user", prefersJwt: true },

  "GET /api/v1/auth/me": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/switch": { key: "never", role: "any-user", prefersJwt: true },

  "POST /api/v1/auth/invitations/accept": open,
  "POST /api/v1/auth/invitations/join": { key: "never", role: "any-user", prefersJwt: true },
  "POST /api/v1/auth/password-reset": open,
  "POST /api/v1/auth/password-reset/confirm": open,

  "POST /api/v1/invitations": { key: "never", role: "owner", prefersJwt: true },
  "GET /api/v1/invitations": { key: "never", role: "owner", prefersJwt: true },
  "DELETE /api/v1/invitations/:id": { key: "never", role: "owner", prefersJwt: true },
  "GET /api/v1/members": { key: "never", role: "owner", prefersJwt: true },
  "PATCH /api/v1/members/:id": { key: "never", role: "owner", prefersJwt: true },
  "DELETE /api/v1/members/:id": { key: "never", role: "owner", prefersJwt: true },

  "POST /api/v1/send": { key: "send", role: "developer" },
  "POST /api/v1/send/batch": { key: "send", role: "developer" },
  "POST /api/v1/send/validate": { key: "send", role: "developer" },
  "POST /api/v1/send/cancel": { key: "send", role: "developer" },
  "POST /api/v1/send/:id/cancel": { key: "send", role: "developer" },
  "GET /api/v1/send/:id/status": { key: "send-or-read", role: "viewer" },
  "GET /api/v1/send/:id/timeline": { key: "send-or-read", role: "viewer" },
  "GET /api/v1/send/:id/content": { key: "read", role: "developer" },
  "GET /api/v1/send/:id/content/attachments/:number": { key: "read", role: "developer" },
  "POST /api/v1/send/:id/content/view": { key: "never", role: "developer", prefersJwt: true },
  // A frame of the browser loads it: the token in the path authenticates it, once.
  "GET /api/v1/content-views/:token": open,
  "GET /api/v1/sends": { key: "read", role: "viewer" },
  "GET /api/v1/sends/export": { key: "read", role: "viewer" },
  "GET /api/v1/usage": { key: "read", role: "viewer" },
  // It shows from where people and servers call, which a viewer needs for nothing.
  "GET /api/v1/requests": { key: "read", role: "developer" },
  "GET /api/v1/account": { key: "any", role: "viewer" },
  "GET /api/v1/audit": { key: "never", role: "owner", prefersJwt: true },
  "GET /api/v1/audit/export": { key: "never", role: "owner", prefersJwt: true },
  "PATCH /api/v1/account": { key: "never", role: "owner", prefersJwt: true },

  "GET /api/v1/events": { key: "read", role: "viewer", prefersJwt: true },
  "GET /api/v1/events/export": { key: "read", role: "viewer", prefersJwt: true },
  "GET /api/v1/suppression": { key: "read", role: "viewer", prefersJwt: true },
  "GET /api/v1/suppression/export": { key: "read", role: "viewer", prefersJwt: true },
  "POST /api/v1/suppression": { key: "suppressions", role: "developer", prefersJwt: true, writeCost: 1 },
  "POST /api/v1/suppression/import": { key: "suppressions", role: "developer", prefersJwt: true, writeCost: 20 },
  "GET /api/v1/suppression/:email": { key: "read", role: "viewer", prefersJwt: true },
  "DELETE /api/v1/suppression/:email": { key: "suppressions", role: "developer", prefersJwt: true, writeCost: 1 },

  "GET /api/v1/domains": { key: "read", role: "viewer", prefersJwt: true },
  "GET /api/v1/domains/:id": { key: "read", role: "viewer", prefersJwt: true },
  "GET /api/v1/domains/:id/dns": { key: "read", role: "viewer", prefersJwt: true },
  "POST /api/v1/domains": { key: "domains", role: "developer", prefersJwt: true },
  "POST /api/v1/domains/:id/verify": { key: "domains", role: "developer", prefersJwt: true },
  "POST /api/v1/domains/:id/mail-from": { key: "domains", role: "developer", prefersJwt: true },
  "DELETE /api/v1/domains/:id": { key: "domains", role: "developer", prefersJwt: true },

  "GET /api/v1/api-keys": { key: "never", role: "viewer", prefersJwt: true },
  "POST /api/v1/api-keys": { key: "never", role: "developer", prefersJwt: true },
  "POST /api/v1/api-keys/:id/roll": { key: "never", role: "developer", prefersJwt: true },
  "DELETE /api/v1/api-keys/:id": { key: "never", role: "developer", prefersJwt: true },

  "GET /api/v1/webhooks": { key: "webhooks", role: "viewer", prefersJwt: true },
  "POST /api/v1/webhooks": { key: "webhooks", role: "developer", prefersJwt: true },
  "GET /api/v1/webhooks/:id": { key: "webhooks", role: "viewer", prefersJwt: true },
  "PATCH /api/v1/webhooks/:id": { key: "webhooks", role: "developer", prefersJwt: true },
  "DELETE /api/v1/webhooks/:id": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/rotate": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/test": { key: "webhooks", role: "developer", prefersJwt: true },
  "GET /api/v1/webhooks/:id/deliveries": { key: "webhooks", role: "viewer", prefersJwt: true },
  "GET /api/v1/webhooks/:id/deliveries/:delivery_id": { key: "webhooks", role: "viewer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/deliveries/:delivery_id/curl": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/replay": { key: "webhooks", role: "developer", prefersJwt: true },
  "GET /api/v1/webhooks/:id/replays": { key: "webhooks", role: "viewer", prefersJwt: true },
  "GET /api/v1/webhooks/:id/replays/:replay_id": { key: "webhooks", role: "viewer", prefersJwt: true },
  "POST /api/v1/webhooks/:id/replays/:replay_id/cancel": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/listeners": { key: "webhooks", role: "developer", prefersJwt: true },
  "POST /api/v1/webhooks/listeners/:id/take": { key: "webhooks", role: "developer", prefersJwt: true },

  "GET /api/v1/operator/status": { key: "never", role: "operator", prefersJwt: true },
  "GET /api/v1/operator/processes": { key: "never", role: "operator", prefersJwt: true },
  "GET /api/v1/operator/ses": { key: "never", role: "operator", prefersJwt: true },
  "GET /api/v1/operator/accounts": { key: "never", role: "operator", prefersJwt: true },
  "GET /api/v1/operator/accounts/:id": { key: "never", role: "operator", prefersJwt: true },
  "GET /api/v1/operator/quarantine": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/accounts/:id/hold": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/accounts/:id/release": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/accounts/:id/guard": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/accounts/:id/guard/release": { key: "never", role: "operator", prefersJwt: true },
  "PATCH /api/v1/operator/accounts/:id/limits": { key: "never", role: "operator", prefersJwt: true },
  "PATCH /api/v1/operator/accounts/:id/quotas": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/quarantine/:id/read": { key: "never", role: "operator", prefersJwt: true },
  "POST /api/v1/operator/quarantine/replay": { key: "never", role: "operator", prefersJwt: true },
};

/** HEAD is GET without the body. */
export function findRouteAccess(method: string, pattern: string | undefined): RouteAccess | undefined {
  return routeAccess[`${method === "HEAD" ? "GET" : method} ${pattern}`];
}

export function getCallerAccess(method: string, pattern: string | undefined): CallerAccess {
  const access = findRouteAccess(method, pattern);
  if (access === undefined || access.public) throw new Error(`${method} ${pattern} has no entry in route-access.ts`);
  return access;
}

export function hasScope(scopes: readonly KeyScope[], { key }: CallerAccess): boolean {
  switch (key) {
    case "never":
      return false;
    case "any":
      return true;
    case "send-or-read":
      return scopes.includes("send") || scopes.includes("read");
    // Notifications show what `read` shows.
    case "webhooks":
      return scopes.includes("webhooks") && scopes.includes("read");
    default:
      return scopes.includes(key);
  }
}
