import { type AuditedRequests, by, type RequestDeps } from "./audited-request.ts";
import { aLogin } from "./builders.ts";
import { aQueuedSend } from "./send-builders.ts";
import { change } from "./send-rows.ts";

export const cancelRequests: AuditedRequests = {
  "POST /api/v1/send/:id/cancel": async (deps) => {
    const { request, id } = await aSend(deps);
    return { ...request, path: `/api/v1/send/${id}/cancel` };
  },
  "POST /api/v1/send/cancel": async (deps) => {
    const { request, id } = await aSend(deps);
    // Such a send has no key of its own: its id is its key.
    await change(deps.db, "update sends set payload_hash = '\\x00' where id = $1", [id]);
    return { ...request, path: "/api/v1/send/cancel", body: { idempotency_key: id } };
  },
};

async function aSend({ db, loginDeps }: RequestDeps) {
  const user = await aLogin(db, loginDeps);
  const id = await aQueuedSend(db, { accountId: user.accountId });
  const entry = { actorName: user.email, targetName: null, before: { state: "ready" }, after: null };
  const isDone = "exists (select from sends where id = $1 and error_code = 'CANCELLED')";
  return { id, request: { ...by(user), isDone, subject: id, entry } };
}
