import { routeAudit } from "../../src/api/auth/route-audit.ts";
import type { Environment } from "../../src/config.ts";
import type { Database } from "../../src/db/database.ts";
import { auditRows, isTrue } from "../../test/audit-rows.ts";
import type { AuditedRequest, RequestDeps } from "../../test/audited-request.ts";
import { auditedRequests } from "../../test/audited-requests.ts";
import { until } from "../until.ts";

export interface AuditCell extends RequestDeps {
  environment: Environment;
  /** Everything that the API received or returned and that must stay out of the audit. */
  secrets: Set<string>;
}

type RouteRequest = AuditedRequest & { route: string; earlier: number };

/** One request for each management route, each in an account of its own. */
export async function prepareRequests(cell: AuditCell): Promise<RouteRequest[]> {
  const requests: RouteRequest[] = [];
  for (const [route, prepare] of Object.entries(auditedRequests)) {
    const request = await prepare(cell);
    for (const secret of request.secrets) cell.secrets.add(secret);
    const earlier = (await auditRows(cell.db, request.accountId)).length;
    requests.push({ ...request, route, earlier });
  }
  return requests;
}

/** All at once. Returns the statuses; 0 for a request without an answer. */
export async function sendRequests(cell: AuditCell, url: string, requests: RouteRequest[]) {
  const started = performance.now();
  const statuses = await Promise.all(
    requests.map(async ({ route, path, token, body }) => {
      try {
        const response = await fetch(`${url}${path}`, {
          method: route.split(" ")[0] ?? "",
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(60_000),
        });
        const text = await response.text();
        const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
        for (const secret of isJson ? secretsIn(JSON.parse(text)) : []) cell.secrets.add(secret);
        return response.status;
      } catch {
        return 0;
      }
    }),
  );
  return { statuses, tookMs: performance.now() - started };
}

const secretFields = new Set([
  "key",
  "secret",
  "access_token",
  "refresh_token",
  "recovery_codes",
  "link",
  "otpauth_uri",
]);

function secretsIn(answer: unknown): string[] {
  return Object.entries((answer ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    secretFields.has(name) ? [value].flat().map((text) => String(text).replace(/^.*#\w+=/, "")) : [],
  );
}

/** Compares what was done with the entries. Nothing may run any more. */
export async function checkRequests({ db }: AuditCell, requests: RouteRequest[]) {
  const tally = { done: 0, withoutEntry: 0, withoutAction: 0, doubled: 0 };
  for (const { route, accountId, isDone, subject, earlier } of requests) {
    const added = (await auditRows(db, accountId)).slice(earlier);
    const isActionDone = await isTrue(db, isDone, subject);
    const entries = added.filter(({ action }) => action === routeAudit[route]).length;
    if (isActionDone) tally.done++;
    if (isActionDone && entries === 0) tally.withoutEntry++;
    if (!isActionDone && entries > 0) tally.withoutAction++;
    if (entries > 1 || added.length > entries) tally.doubled++;
  }
  return tally;
}

/** All rounds come from one address, which may request 30 password resets an hour. */
export async function clearCounts(db: Database): Promise<void> {
  await db.query({ name: "clear-counts", text: "delete from login_attempts" });
}

/** PostgreSQL notices that a client was killed when it reads or writes next; a statement in progress may still commit. */
export function whenIdle(db: Database): Promise<void> {
  return until("the sessions of the killed process end", 30, async () => {
    const rows = await db.query({
      name: "sessions-of-others",
      text: `
        select
        from pg_stat_activity
        where datname = current_database()
          and application_name like 'postern-%'
          and application_name <> 'postern-test'
          and pid <> pg_backend_pid()`,
    });
    return rows.length === 0;
  });
}
