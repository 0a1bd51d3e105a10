import { addContentView } from "../src/content-views/content-view-store.ts";
import { type AuditedRequests, by, canary, facts, type RequestDeps } from "./audited-request.ts";
import { aLogin } from "./builders.ts";
import { anAttachment, aQueuedSend, testContentKeys } from "./send-builders.ts";

/** The reads of content. They change nothing in the account, except that a view is used up. */
export const contentRequests: AuditedRequests = {
  "GET /api/v1/send/:id/content": async (deps) => {
    const { user, id, text } = await aMail(deps);
    const entry = { actorName: user.email, targetName: null, ...facts };
    // Nothing but the entry shows that somebody read it.
    const isDone = "exists (select from audit_entries where target_id = $1 and action = 'content.read')";
    const secrets = [...by(user).secrets, text];
    return { ...by(user), path: `/api/v1/send/${id}/content`, isDone, subject: id, entry, secrets };
  },
  "GET /api/v1/send/:id/content/attachments/:number": async (deps) => {
    const { user, id, text } = await aMail(deps);
    const entry = { actorName: user.email, targetName: null, before: null, after: { attachment: 0 } };
    const isDone = "exists (select from audit_entries where target_id = $1 and action = 'content.read')";
    const secrets = [...by(user).secrets, text];
    return { ...by(user), path: `/api/v1/send/${id}/content/attachments/0`, isDone, subject: id, entry, secrets };
  },
  "GET /api/v1/content-views/:token": async (deps) => {
    const { user, id, text } = await aMail(deps);
    const viewDeps = { keys: testContentKeys, cellCode: deps.apiKeyIssuer.cellCode };
    const view = { loginId: user.loginId, sendId: id, showsImages: false };
    const added = await addContentView(deps.db.forAccount(user.accountId), viewDeps, view);
    if (added.kind !== "view") throw new Error("the send has no content");
    const entry = { actorName: user.email, targetName: null, before: null, after: { images: false } };
    const isDone = "not exists (select from content_views where send_id = $1)";
    const path = `/api/v1/content-views/${added.token}`;
    const secrets = [...by(user).secrets, text, added.token];
    return { accountId: user.accountId, path, isDone, subject: id, entry, secrets };
  },
};

async function aMail({ db, loginDeps }: RequestDeps) {
  const user = await aLogin(db, loginDeps);
  const text = canary();
  const attachments = [anAttachment(Buffer.from(text))];
  return { user, text, id: await aQueuedSend(db, { accountId: user.accountId, text, attachments }) };
}
