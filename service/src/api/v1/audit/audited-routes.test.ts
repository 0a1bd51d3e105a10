import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { auditRows, isTrue } from "../../../../test/audit-rows.ts";
import { auditedRequests } from "../../../../test/audited-requests.ts";
import { anApiKey } from "../../../../test/builders.ts";
import { openDomainFixture } from "../../../../test/domain-fixture.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { aSystemAccount, systemSender } from "../../../../test/system-mail-fixture.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { DomainDeps } from "../../../domains/register-domain.ts";
import { routeAudit } from "../../auth/route-audit.ts";

const provider = useSesSimulator();
const api = useTestApi({ SYSTEM_SENDER: systemSender, PUBLIC_URL: "https://mail.example.com" });
let domainDeps: DomainDeps;

beforeAll(async () => {
  domainDeps = await openDomainFixture(api.database.db, api.database.url, provider.simulator);
  api.deps.domainDeps = domainDeps;
  await aSystemAccount(api.database.db);
});
afterAll(() => domainDeps.locks.close());

test.for(Object.keys(auditedRequests))(
  "%s leaves one entry with its actor, target, before and after, and none when it fails",
  async (route) => {
    const { db } = api.database;
    const action = routeAudit[route] ?? "";
    const prepared = await auditedRequests[route]?.({ db, ...api.deps });
    if (prepared === undefined) throw new Error("no such request");
    const { accountId, path, token, body, isDone, subject, entry } = prepared;
    const earlier = (await auditRows(db, accountId)).length;
    const method = route.split(" ")[0] as "POST";
    const request = { method, path, ...(token && { token }), ...(body && { body }), remoteAddress: "203.0.113.7" };
    const { status, headers } = await api.call(request);
    expect(status).toBeLessThan(300);
    await vi.waitUntil(() => isTrue(db, isDone, subject), { timeout: 5_000 });

    const added = (await auditRows(db, accountId)).slice(earlier);
    expect(added.map((row) => row.action)).toEqual([action]);
    expect(added[0]).toMatchObject({
      actor_kind: entry.actorKind ?? "user",
      actor_name: entry.actorName,
      target_name: entry.targetName,
      before: entry.before,
      after: entry.after,
      address: "203.0.113.7",
      request_id: headers["x-request-id"],
      reason: entry.reason ?? null,
    });

    // The same again changes nothing, or is refused, except where a second action is one of its own.
    if (["log-in", "account.switch", "api-key.roll", "invitation.create", "totp.enrol"].includes(action)) return;
    // A second change has the wrong password, which is an entry of its own.
    if (["password.change", "content.read", "quarantine.read", "quarantine.replay"].includes(action)) return;
    if (["api-key.create", "password.reset-request", "account.hold", "account.guard-release"].includes(action)) return;
    if (["webhook.create", "webhook.rotate", "webhook.test", "webhook.replay", "webhook.curl"].includes(action)) return;
    await api.call(request);
    expect(await auditRows(db, accountId)).toHaveLength(earlier + 1);
  },
);

test("an action with an API key names the key", async () => {
  const { db } = api.database;
  const prepared = await auditedRequests["DELETE /api/v1/suppression/:email"]?.({ db, ...api.deps });
  const { accountId = "", path = "" } = prepared ?? {};
  const { id, key, keyPrefix } = await anApiKey(db, api.deps.apiKeyIssuer, accountId, { scopes: ["suppressions"] });
  expect((await api.call({ method: "DELETE", path, key })).status).toBe(200);
  expect(await auditRows(db, accountId, "suppression.remove")).toMatchObject([
    { actor_kind: "key", actor_id: id, actor_name: keyPrefix },
  ]);
});

test("the database refuses to change, delete or truncate entries, also to the owner of the tables", async () => {
  const { db } = api.database;
  const prepared = await auditedRequests["POST /api/v1/api-keys"]?.({ db, ...api.deps });
  await aSuppression(db, { accountId: prepared?.accountId ?? "", email: "x@example.com" });
  for (const text of [
    "update audit_entries set actor_name = 'nobody'",
    "delete from audit_entries",
    "truncate audit_entries",
  ]) {
    await expect(db.query({ name: text, text })).rejects.toMatchObject({ code: "23001" });
  }
});
