import { expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aClaimedSend, attemptOf } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database } from "../db/database.ts";
import { retryLater } from "../queue/settle-sends.ts";
import { tickQueue } from "./queue-tick.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a tick over an empty queue moves nothing and logs nothing", async () => {
  const { isReady, lines } = await tick("resend");
  expect({ isReady, lines }).toEqual({ isReady: false, lines: [] });
});

test("an expired lease ends as a resent send, logged and counted", async () => {
  const send = await aClaimedSend(database.db);
  await expireLease(send.id);
  await noteWorkersWereUp();
  const { isReady, lines, counted } = await tick("resend");
  expect(isReady).toBe(true);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready", attempt: 1 });
  expect(lines).toMatchObject([
    { event: "delivery.leases-expired", count: 1 },
    { event: "delivery.in-doubt-resolved", send_id: send.id, policy: "resend" },
  ]);
  expect(await counted("postern_in_doubt_resolved_total", { policy: "resend" })).toBe(1);
});

test("after two hours without a worker a send stays in doubt, because consumers have not read the events of that time", async () => {
  const send = await aClaimedSend(database.db);
  await expireLease(send.id);
  await change(
    database.db,
    "update feedback_progress set workers_up_since = now() - interval '1 day', workers_up_at = now() - interval '2 hours'",
  );
  expect(await tick("resend")).toMatchObject({ isReady: false, lines: [{ event: "delivery.leases-expired" }] });
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt", attempt: 1 });
});

test("a parked send is ready after its account is released, and the tick logs it", async () => {
  const send = await aClaimedSend(database.db);
  await change(database.db, "update accounts set held_at = now() where id = $1", [send.accountId]);
  await change(database.db, "update send_queue set state = 'parked', due_at = now() where id = $1", [send.id]);
  expect(await tick("resend")).toMatchObject({ isReady: false, lines: [] });
  await change(database.db, "update accounts set held_at = null where id = $1", [send.accountId]);
  expect(await tick("resend")).toMatchObject({ isReady: true, lines: [{ event: "delivery.unparked", count: 1 }] });
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready" });
});

test("a tick takes the probe of a denied domain and does not scan the queue for mail to park", async () => {
  const send = await aClaimedSend(database.db);
  await change(
    database.db,
    "update domains set denied_since = now(), denial_code = 'AccessDeniedException', probe_at = now() where domain_name = $1",
    [send.fromDomain],
  );
  await change(database.db, "update send_queue set state = 'parked', due_at = now() where id = $1", [send.id]);
  const query: Database["query"] = async (statement) => {
    if (statement.name === "park-denied-domains") throw new Error("no answer");
    return database.db.query(statement);
  };
  expect(await tick("resend", { ...database.db, query })).toMatchObject({ isReady: true });
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready" });
});

test('with the policy "fail" an expired lease ends as a failed send, and no send becomes ready', async () => {
  const send = await aClaimedSend(database.db);
  await expireLease(send.id);
  await noteWorkersWereUp();
  const { isReady, counted } = await tick("fail");
  expect(isReady).toBe(false);
  expect(await sendRow(database.db, send.id)).toMatchObject({
    status: "failed",
    errorCode: "PROVIDER_OUTCOME_UNKNOWN",
  });
  expect(await counted("postern_in_doubt_resolved_total", { policy: "fail" })).toBe(1);
  expect(await counted("postern_sends_settled_total", { status: "failed" })).toBe(1);
});

test("a due waiting send becomes ready", async () => {
  const send = await aClaimedSend(database.db);
  await retryLater(database.db, [
    { ...attemptOf(send), outcome: "try-later", delaySeconds: -1, usesRetryWindow: true },
  ]);
  expect((await tick("resend")).isReady).toBe(true);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready" });
});

async function tick(inDoubtPolicy: "resend" | "fail", db: Database = database.db) {
  const { deps, lines, counted } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3_600, inDoubtPolicy };
  return { isReady: await tickQueue({ ...deps, db, mode: "live", rule }), lines, counted };
}

/** Simulates a worker that crashed two hours ago. */
async function expireLease(id: string): Promise<void> {
  await change(
    database.db,
    "update send_queue set attempted_at = now() - interval '2 hours', due_at = now() - interval '119 minutes' where id = $1",
    [id],
  );
}

async function noteWorkersWereUp(): Promise<void> {
  await change(
    database.db,
    "update feedback_progress set workers_up_since = now() - interval '2 hours', workers_up_at = now() where mode = 'live'",
  );
}
