import { quarantine } from "../src/feedback/quarantine-store.ts";
import { type AuditedRequest, type AuditedRequests, by, canary, facts, type RequestDeps } from "./audited-request.ts";
import { anAccount } from "./builders.ts";
import { anOperatorLogin } from "./operator-login.ts";
import { change } from "./send-rows.ts";

const reason = "The account sends to bought lists";
const guardHold = "update accounts set guard_held_at = now(), guard_reason = 'too many bounces' where id = $1";
const hold = "update accounts set held_at = now() where id = $1";

/** By an operator who is no member of the account. */
export const operatorRequests: AuditedRequests = {
  "POST /api/v1/operator/accounts/:id/hold": (deps) =>
    onAccount(deps, { path: "hold", before: { held: false }, after: { held: true }, isDone: "held_at is not null" }),
  "POST /api/v1/operator/accounts/:id/release": (deps) =>
    onAccount(deps, {
      path: "release",
      before: { held: true },
      after: { held: false },
      isDone: "held_at is null",
      given: hold,
    }),
  "POST /api/v1/operator/accounts/:id/guard": (deps) =>
    onAccount(deps, {
      path: "guard",
      body: { on: false },
      before: { off: false },
      after: { off: true },
      isDone: "guard_off",
    }),
  "POST /api/v1/operator/accounts/:id/guard/release": (deps) =>
    onAccount(deps, {
      path: "guard/release",
      before: { reason: "too many bounces" },
      after: null,
      isDone: "guard_held_at is null",
      given: guardHold,
    }),
  "PATCH /api/v1/operator/accounts/:id/limits": (deps) =>
    onAccount(deps, {
      path: "limits",
      body: { per_second: 7 },
      before: { limit_per_second: 3 },
      after: { limit_per_second: 7 },
      isDone: "limit_per_second = 7",
    }),
  "PATCH /api/v1/operator/accounts/:id/quotas": (deps) =>
    onAccount(deps, {
      path: "quotas",
      body: { trial: 7 },
      before: { mode: "live", trial: null },
      after: { mode: "live", trial: 7 },
      isDone: "exists (select from account_quotas q where q.account_id = accounts.id and q.trial = 7)",
    }),
  "POST /api/v1/operator/quarantine/:id/read": async (deps) => {
    const { operator, id, text } = await aQuarantinedEntry(deps);
    return {
      ...by(operator),
      path: `/api/v1/operator/quarantine/${id}/read`,
      body: { reason },
      // Nothing but the entry shows that somebody read it.
      isDone: "exists (select from audit_entries where target_id = $1::text and action = 'quarantine.read')",
      subject: id,
      entry: { actorKind: "operator", actorName: operator.email, targetName: null, ...facts, reason },
      secrets: [...by(operator).secrets, text],
    };
  },
  "POST /api/v1/operator/quarantine/replay": async (deps) => {
    const { operator, id, text } = await aQuarantinedEntry(deps);
    return {
      ...by(operator),
      path: "/api/v1/operator/quarantine/replay",
      body: { reason, id },
      isDone: "exists (select from feedback_quarantine where id = $1::bigint and next_try_at is not null)",
      subject: id,
      entry: {
        actorKind: "operator",
        actorName: operator.email,
        targetName: null,
        before: null,
        after: { due: 1 },
        reason,
      },
      secrets: [...by(operator).secrets, text],
    };
  },
};

/** In the account of the operator's session: a notification belongs to none. */
async function aQuarantinedEntry({ db, loginDeps }: RequestDeps) {
  const text = canary();
  await quarantine(db, [{ reason: "unreadable", raw: text }]);
  const [row] = await change(db, "select id from feedback_quarantine where raw = $1", [text]);
  return { operator: await anOperatorLogin(db, loginDeps), id: Number(row?.id), text };
}

interface OperatorAction {
  path: string;
  body?: Record<string, unknown>;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  /** SQL, about the row of accounts. */
  isDone: string;
  /** SQL: what the action needs. */
  given?: string;
}

async function onAccount({ db, loginDeps }: RequestDeps, action: OperatorAction): Promise<AuditedRequest> {
  const { path, body, before, after, isDone, given } = action;
  const operator = await anOperatorLogin(db, loginDeps);
  const accountId = await anAccount(db);
  if (given !== undefined) await change(db, given, [accountId]);
  return {
    accountId,
    token: operator.accessToken,
    path: `/api/v1/operator/accounts/${accountId}/${path}`,
    body: { ...body, reason },
    isDone: `exists (select from accounts where id = $1 and ${isDone})`,
    subject: accountId,
    entry: { actorKind: "operator", actorName: operator.email, targetName: "An account", before, after, reason },
    secrets: [operator.accessToken, operator.refreshToken, operator.password],
  };
}
