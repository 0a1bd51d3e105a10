import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../../test/builders.ts";
import { anEvent } from "../../../../test/event-builders.ts";
import { aClaimedSend, aQueuedSend, attemptOf, aVerifiedDomain, claimAgain } from "../../../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { markFailed, markInDoubt, markSent, retryLater } from "../../../queue/settle-sends.ts";

const api = useTestApi();
useEmptyQueue(api.database);

async function anAccountWithKey() {
  const accountId = await anAccount(api.database.db);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId);
  return { accountId, key };
}

function timelineOf(id: string, credential: { key?: string; token?: string }, query = "") {
  return api.call({ method: "GET", path: `/api/v1/send/${id}/timeline${query}`, ...credential });
}

async function entriesOf(id: string, credential: { key: string }) {
  const response = await timelineOf(id, credential);
  expect(response.status).toBe(200);
  return response.json().entries;
}

describe("GET /api/v1/send/:id/timeline returns 200", () => {
  test("for a newly accepted send with the number of recipients and the suppressed ones", async () => {
    const { accountId, key } = await anAccountWithKey();
    const domain = await aVerifiedDomain(api.database.db, accountId, "timeline-shop.io");
    await change(
      api.database.db,
      `insert into suppressions (id, account_id, mode, email, reason) values (gen_random_uuid(), $1, 'live', 'jane@x.io', 'complaint')`,
      [accountId],
    );
    const body = { from: `a@${domain}`, to: ["Jane@X.io", "b@x.io"], subject: "Hello", text: "Hi" };
    const accepted = (await api.call({ method: "POST", path: "/api/v1/send", key, body })).json();
    const response = await timelineOf(accepted.id, { key });
    expect(response.json()).toEqual({
      id: accepted.id,
      status: "queued",
      error_code: null,
      error_message: null,
      mode: "live",
      entries: [
        { type: "accepted", at: accepted.queued_at, recipients: 2, suppressed_recipients: ["Jane@X.io"] },
        {
          type: "event",
          at: accepted.queued_at,
          event: {
            id: expect.any(String),
            email_id: accepted.id,
            event_type: "Suppression",
            event_timestamp: accepted.queued_at,
            recipient: "Jane@X.io",
            mode: "live",
            suppression_reason: "complaint",
            suppressed_at: expect.any(String),
          },
        },
      ],
      complete: true,
    });
  });

  test("with the attempt that is in progress", async () => {
    const { accountId, key } = await anAccountWithKey();
    const send = await aClaimedSend(api.database.db, { accountId });
    const response = (await timelineOf(send.id, { key })).json();
    expect(response).toMatchObject({ status: "processing", entries: [{ type: "accepted" }, { type: "attempt" }] });
    expect(response.entries[1]).toEqual({
      type: "attempt",
      at: new Date(send.attemptedAt).toISOString(),
      attempt: 1,
      ended_at: null,
      outcome: null,
      provider_message_id: null,
      request_id: null,
      detail: null,
    });
  });

  test("with attempts, submission and events in chronological order", async () => {
    const { accountId, key } = await anAccountWithKey();
    const send = await aClaimedSend(api.database.db, { accountId });
    const failed = { ...attemptOf(send), outcome: "try-later" as const, requestId: "r-1", detail: "503 from 10.0.0.7" };
    await retryLater(api.database.db, [{ ...failed, delaySeconds: 0, usesRetryWindow: true }]);
    await change(api.database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [send.id]);
    const again = await claimAgain(api.database.db, send.id);
    await markSent(api.database.db, [
      { ...attemptOf(again), outcome: "accepted", providerMessageId: "m-1", requestId: "r-2" },
    ]);
    const at = new Date(Date.now() + 60_000).toISOString();
    const later = new Date(Date.now() + 120_000).toISOString();
    await anEvent(api.database.db, {
      accountId,
      sendId: send.id,
      type: "Complaint",
      complaintType: "abuse",
      at: later,
    });
    await anEvent(api.database.db, { accountId, sendId: send.id, type: "Delivery", at });
    const entries = await entriesOf(send.id, { key });
    expect(entries).toMatchObject([
      { type: "accepted" },
      { type: "attempt", attempt: 1, outcome: "try-later", request_id: "r-1", provider_message_id: null },
      { type: "attempt", attempt: 2, outcome: "accepted", request_id: "r-2", provider_message_id: "m-1" },
      { type: "submitted", provider_message_id: "m-1" },
      { type: "event", at, event: { event_type: "Delivery" } },
      { type: "event", at: later, event: { event_type: "Complaint", complaint_type: "abuse" } },
    ]);
    expect(entries.map(({ at: time }: { at: string }) => time)).toEqual(
      entries.map(({ at: time }: { at: string }) => time).toSorted(),
    );
  });

  test("with Postern's own description of an attempt and never with the provider's message", async () => {
    const { accountId, key } = await anAccountWithKey();
    const secret = "arn:aws:iam::123456789012:user/postern is not authorized";
    for (const outcome of ["try-later", "unknown", "refused"] as const) {
      const send = await aClaimedSend(api.database.db, { accountId });
      const settled = { ...attemptOf(send), outcome, detail: secret };
      if (outcome === "unknown") await markInDoubt(api.database.db, [settled]);
      else await retryLater(api.database.db, [{ ...settled, delaySeconds: 60, usesRetryWindow: true }]);
      expect((await timelineOf(send.id, { key })).text).not.toContain("arn:aws");
    }
    const send = await aClaimedSend(api.database.db, { accountId });
    const returned = { ...attemptOf(send), outcome: "returned" as const, detail: "the domain was removed" };
    await markFailed(api.database.db, [{ ...returned, code: "DOMAIN_NOT_VERIFIED", message: "Not verified." }]);
    const response = (await timelineOf(send.id, { key })).json();
    expect(response).toMatchObject({
      status: "failed",
      error_code: "DOMAIN_NOT_VERIFIED",
      error_message: "Not verified.",
      entries: [{ type: "accepted" }, { type: "attempt", outcome: "returned", detail: "the domain was removed" }],
    });
  });

  test("with the newest 500 attempts and complete false for a send with more attempts", async () => {
    const { accountId, key } = await anAccountWithKey();
    const id = await aQueuedSend(api.database.db, { accountId });
    await change(
      api.database.db,
      `insert into send_attempts (send_id, attempt, started_at, outcome)
       select $1, n, now() + n * interval '1 s', 'try-later' from generate_series(1, 600) as n`,
      [id],
    );
    const { entries, complete } = (await timelineOf(id, { key })).json();
    const attempts = entries.filter(({ type }: { type: string }) => type === "attempt");
    expect([attempts.length, attempts[0].attempt, attempts.at(-1).attempt, complete]).toEqual([500, 101, 600, false]);
  });

  test("for a JWT: sends of both modes, or only of the mode in the query", async () => {
    const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
    for (const [mode, other] of [
      ["live", "test"],
      ["test", "live"],
    ] as const) {
      const id = await aQueuedSend(api.database.db, { accountId, mode });
      expect((await timelineOf(id, { token })).json()).toMatchObject({ id, mode });
      expect((await timelineOf(id, { token }, `?mode=${mode}`)).status).toBe(200);
      expect((await timelineOf(id, { token }, `?mode=${other}`)).status).toBe(404);
    }
  });
});

test("GET /api/v1/send/:id/timeline returns 401 without a credential", async () => {
  expect((await timelineOf(randomUUID(), {})).status).toBe(401);
});

test("GET /api/v1/send/:id/timeline returns 404 for an unknown or malformed id and for a send of another account or mode", async () => {
  const [account, other] = [await anAccountWithKey(), await anAccountWithKey()];
  const theirs = await aQueuedSend(api.database.db, { accountId: other.accountId });
  const testSend = await aQueuedSend(api.database.db, { accountId: account.accountId, mode: "test" });
  for (const id of [randomUUID(), "not-an-id", theirs, testSend]) {
    expect((await timelineOf(id, { key: account.key })).status).toBe(404);
  }
});
