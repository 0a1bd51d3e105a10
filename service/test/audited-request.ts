import { randomBytes } from "node:crypto";
import type { ApiKeyIssuer } from "../src/api-keys/create-api-key.ts";
import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import type { TestLogin } from "./builders.ts";

/** One management action by a request, prepared in a new account. */
export interface AuditedRequest {
  /** Whose audit gets the entry. */
  accountId: string;
  path: string;
  token?: string;
  body?: Record<string, unknown>;
  /** SQL: whether the action was done. `$1` is `subject`. */
  isDone: string;
  subject: string | number;
  /** What the entry says. */
  entry: {
    actorKind?: string;
    actorName: string | null;
    targetName: string | null;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
    reason?: string;
  };
  /** What neither the table nor the export may contain. */
  secrets: string[];
}

export interface RequestDeps {
  db: Database;
  loginDeps: LoginDeps;
  apiKeyIssuer: ApiKeyIssuer;
}

/** By the routes of route-audit.ts. */
export type AuditedRequests = Record<string, (deps: RequestDeps) => Promise<AuditedRequest>>;

/** Characters that appear nowhere else. */
export const canary = () => `n${randomBytes(8).toString("hex")}`;

export const facts = { before: null, after: null };

export function by({ accountId, accessToken, refreshToken, password }: TestLogin) {
  return { accountId, token: accessToken, secrets: [accessToken, refreshToken, password] };
}

export function named({ email }: { email: string }) {
  return { actorName: email, targetName: email };
}
