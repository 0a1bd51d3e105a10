import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat, deliveryTestDeps } from "../../test/delivery-deps.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readLastFailover } from "../in-doubt/last-failover.ts";
import type { Mode } from "../mode.ts";
import type { Feedback } from "../provider/feedback.ts";
import { newSendId } from "../sends/send-id.ts";
import { listUnknownSends } from "./quarantine-store.ts";
import { createFeedbackReceiver } from "./take-feedback.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const dayMs = 86_400_000;

test("an event of an attempt that was never claimed confirms the send and stops mail of before, once", async () => {
  const [id, other] = [await aReadySend(), await aReadySend()];
  const { lines, counted } = await takeAll("live", [
    aSendEvent(id, Date.now() - 1_000),
    aSendEvent(other, Date.now() - 2_000),
  ]);
  expect(await sendRow(database.db, id)).toMatchObject({ status: "sent" });
  expect(changes(lines)).toMatchObject([{ cause: "feedback", sign: "unknown attempt" }]);
  expect(await counted("postern_failovers_total", { cause: "feedback" })).toBe(1);
  expect(await readLastFailover(database.db, 10)).toMatchObject({ cause: "feedback", isSweeping: true });
});

test("what was handed over before the last change is explained by it; what was after is not", async () => {
  await change(database.db, "update provider_state set failover_at = now() - interval '1 minute' where mode = 'live'");
  const [before, after] = [await aReadySend(), await aReadySend()];
  expect(changes((await takeAll("live", [aSendEvent(before, Date.now() - 70_000)])).lines)).toEqual([]);
  expect(changes((await takeAll("live", [aSendEvent(after, Date.now())])).lines)).toHaveLength(1);
});

test("an event of an attempt that was claimed says nothing of the kind", async () => {
  const id = await aReadySend();
  await change(
    database.db,
    "update send_queue set state = 'leased', attempt = 1, attempted_at = now(), due_at = now() where id = $1",
    [id],
  );
  expect(changes((await takeAll("live", [aSendEvent(id, Date.now())])).lines)).toEqual([]);
});

test("a young send that is unknown stops mail of before at most once a day, and is listed", async () => {
  const id = newSendId(Date.now() - 3_600_000);
  const { lines } = await takeAll("live", [aSendEvent(id, Date.now())]);
  expect(changes(lines)).toMatchObject([{ cause: "feedback", sign: "unknown send" }]);
  expect(changes((await takeAll("live", [aSendEvent(newSendId(Date.now()), Date.now())])).lines)).toEqual([]);
  expect((await listUnknownSends(database.db, 10)).map(({ sendId }) => sendId)).toContain(id);
});

test("an old send that is unknown, and one of test mail, stop nothing", async () => {
  const old = newSendId(Date.now() - 2 * dayMs);
  expect(changes((await takeAll("live", [aSendEvent(old, Date.now())])).lines)).toEqual([]);
  const ofTestMail = newSendId(Date.now());
  expect(changes((await takeAll("test", [aSendEvent(ofTestMail, Date.now())])).lines)).toEqual([]);
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

async function takeAll(mode: Mode, events: Feedback[]) {
  const { deps, lines, counted } = deliveryTestDeps(database.db, aProviderThat(answers.accepted).provider);
  const take = createFeedbackReceiver({
    ...deps,
    db: database.db,
    mode,
    clock: { now: () => Date.now(), observe: () => undefined },
  });
  for (const event of events) await take(event, JSON.stringify({ Message: JSON.stringify(aText(event)) }));
  return { lines, counted };
}

function aText({ sendId }: Feedback) {
  return { eventType: "Send", mail: { tags: { send_id: [sendId] } } };
}

function changes(lines: Record<string, unknown>[]) {
  return lines.filter(({ event }) => event === "database.failover-detected");
}
