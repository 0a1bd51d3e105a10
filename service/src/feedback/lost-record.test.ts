import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readLastFailover } from "../in-doubt/last-failover.ts";
import type { Mode } from "../mode.ts";
import type { Feedback } from "../provider/feedback.ts";
import { newSendId } from "../sends/send-id.ts";
import { listUnknownSends } from "./quarantine-store.ts";
import { createFeedbackReceiver } from "./receive-feedback.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const dayMs = 86_400_000;

test("events of attempts that were never claimed confirm their sends and open one failover", async () => {
  const [id, other] = [await aReadySend(), await aReadySend()];
  const { lines, counted } = await receiveAll("live", [
    aSendEvent(id, Date.now() - 1_000),
    aSendEvent(other, Date.now() - 2_000),
  ]);
  expect(await sendRow(database.db, id)).toMatchObject({ status: "sent" });
  expect(failoversIn(lines)).toMatchObject([{ cause: "feedback", evidence: "unknown attempt" }]);
  expect(await counted("postern_failovers_total", { cause: "feedback" })).toBe(1);
  expect(await readLastFailover(database.db, 10)).toMatchObject({ cause: "feedback", isSweeping: true });
});

test("the last failover explains an unknown attempt from before it, but not one from after it", async () => {
  await change(database.db, "update provider_state set failover_at = now() - interval '1 minute' where mode = 'live'");
  const [before, after] = [await aReadySend(), await aReadySend()];
  expect(failoversIn((await receiveAll("live", [aSendEvent(before, Date.now() - 70_000)])).lines)).toEqual([]);
  expect(failoversIn((await receiveAll("live", [aSendEvent(after, Date.now())])).lines)).toHaveLength(1);
});

test("an event of a claimed attempt opens no failover", async () => {
  const id = await aReadySend();
  await change(
    database.db,
    "update send_queue set state = 'leased', attempt = 1, attempted_at = now(), due_at = now() where id = $1",
    [id],
  );
  expect(failoversIn((await receiveAll("live", [aSendEvent(id, Date.now())])).lines)).toEqual([]);
});

test("an unknown send of the last day opens a failover at most once a day, and is listed", async () => {
  const id = newSendId(Date.now() - 3_600_000);
  const { lines } = await receiveAll("live", [aSendEvent(id, Date.now())]);
  expect(failoversIn(lines)).toMatchObject([{ cause: "feedback", evidence: "unknown send" }]);
  expect(failoversIn((await receiveAll("live", [aSendEvent(newSendId(Date.now()), Date.now())])).lines)).toEqual([]);
  expect((await listUnknownSends(database.db, 10)).map(({ sendId }) => sendId)).toContain(id);
});

test("an unknown send that is older, or of test mail, opens no failover", async () => {
  const old = newSendId(Date.now() - 2 * dayMs);
  expect(failoversIn((await receiveAll("live", [aSendEvent(old, Date.now())])).lines)).toEqual([]);
  const testSend = newSendId(Date.now());
  expect(failoversIn((await receiveAll("test", [aSendEvent(testSend, Date.now())])).lines)).toEqual([]);
});

async function aReadySend(): Promise<string> {
  return aQueuedSend(database.db, { accountId: await anAccount(database.db) });
}

function aSendEvent(sendId: string, submittedMs: number): Feedback {
  const submittedAt = new Date(submittedMs).toISOString();
  return {
    kind: "send",
    providerMessageId: `m-${sendId}`,
    sendId,
    attempt: 1,
    submittedAt,
    at: submittedAt,
    recipients: [],
    feedbackId: undefined,
  };
}

async function receiveAll(mode: Mode, events: Feedback[]) {
  const { deps, lines, counted } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const receive = createFeedbackReceiver({
    ...deps,
    db: database.db,
    mode,
    clock: { now: () => Date.now(), observe: () => undefined },
  });
  for (const event of events) await receive(event, JSON.stringify({ Message: JSON.stringify(aSesEvent(event)) }));
  return { lines, counted };
}

function aSesEvent({ sendId }: Feedback) {
  return { eventType: "Send", mail: { tags: { send_id: [sendId] } } };
}

function failoversIn(lines: Record<string, unknown>[]) {
  return lines.filter(({ event }) => event === "database.failover-detected");
}
