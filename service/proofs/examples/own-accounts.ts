import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, readConfig } from "../../src/config.ts";
import { createCredentialDeps } from "../../src/processes/api-deps.ts";
import type { RequestDeps } from "../../test/audited-request.ts";
import { auditedRequests } from "../../test/audited-requests.ts";
import { aLogin } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { aListener } from "../../test/webhook-builders.ts";

/** The parts of a body that stand for what only one person has. */
const credentialFields = new Set([
  "email",
  "password",
  "current_password",
  "token",
  "totp_code",
  "recovery_code",
  "tenant_id",
  "idempotency_key",
  "id",
]);
/** The user of `postern dev` sends the bodies of these. */
const byTheUser = new Set([
  "/api/v1/auth/login",
  "/api/v1/domains",
  "/api/v1/api-keys",
  "/api/v1/invitations",
  "/api/v1/webhooks",
]);
const mailsReset = "/api/v1/auth/password-reset";
const viewsContent = "/api/v1/send/{id}/content/view";
const takes = "/api/v1/webhooks/listeners/{id}/take";

export interface OwnAccounts {
  /** Sends the body in a new account that has what the route needs; undefined for a route that the user may call. */
  send(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown } | undefined>;
  close(): Promise<void>;
}

/** New accounts in the database of the `postern dev` of this folder. */
export async function openOwnAccounts(folder: string, dev: Record<string, string>): Promise<OwnAccounts> {
  const environment = cellEnvironment(folder, dev);
  const db = openTestDatabase(environment.DATABASE_URL ?? "");
  const deps: RequestDeps = { db, ...createCredentialDeps(readConfig(environment)) };
  // `postern dev` mails no resets, so another process of the same cell does.
  const mailing = await spawnPostern("api", { ...environment, SYSTEM_SENDER: "Acme <hello@acme.io>" });
  return {
    async send(method, path, body) {
      const given = await prepare(deps, method, path);
      if (given === undefined) return undefined;
      const request: RequestInit = {
        method,
        headers: {
          "content-type": "application/json",
          ...(given.token !== undefined && { authorization: `Bearer ${given.token}` }),
        },
        body: JSON.stringify(withCredentials(body, given.body ?? {})),
      };
      const url = path === mailsReset ? mailing.url : dev.POSTERN_URL;
      const response = await fetch(`${url}${given.path}`, request);
      return { status: response.status, body: await response.json() };
    },
    async close() {
      mailing.kill("SIGTERM");
      await mailing.exited;
      await db.close();
    },
  };
}

function cellEnvironment(folder: string, dev: Record<string, string>): Environment {
  const { secrets } = JSON.parse(readFileSync(join(folder, ".postern/settings.json"), "utf8"));
  const simulator = dev.POSTERN_MAIL_VIEW ?? "";
  return {
    ...secrets,
    DATABASE_URL: dev.DATABASE_URL,
    PUBLIC_URL: dev.POSTERN_URL,
    POSTERN_PROVIDER: "simulator",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL_SESV2: simulator,
    AWS_ENDPOINT_URL_SNS: simulator,
    AWS_ENDPOINT_URL_SQS: simulator,
  };
}

interface PreparedRequest {
  path: string;
  token?: string;
  body?: Record<string, unknown>;
}

async function prepare(deps: RequestDeps, method: string, path: string): Promise<PreparedRequest | undefined> {
  if (path === viewsContent) return aView(deps);
  if (path === takes) return aTake(deps);
  if (byTheUser.has(path)) return undefined;
  return auditedRequests[`${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`]?.(deps);
}

async function aView({ db, loginDeps }: RequestDeps): Promise<PreparedRequest> {
  const { accountId, accessToken } = await aLogin(db, loginDeps);
  const id = await aQueuedSend(db, { accountId });
  return { path: `/api/v1/send/${id}/content/view`, token: accessToken };
}

async function aTake({ db, loginDeps }: RequestDeps): Promise<PreparedRequest> {
  const { accountId, accessToken } = await aLogin(db, loginDeps);
  const { id } = await aListener(db, { accountId });
  return { path: `/api/v1/webhooks/listeners/${id}/take`, token: accessToken };
}

function withCredentials(example: unknown, given: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(example as object); // Every example is an object.
  return Object.fromEntries([
    ...fields.filter(([name]) => !credentialFields.has(name)),
    ...Object.entries(given).filter(([name]) => credentialFields.has(name)),
  ]);
}
