import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdByOperator } from "../queue/operator-hold.ts";
import { holdProvider } from "../queue/provider-hold.ts";
import { readSendingStates } from "./sending-state.ts";

const database = useTestDatabase();
useEmptyQueue(database, { maxPerSecond: 14 });

const rule = { feedbackGapSeconds: 900, hasFeedbackQueue: true };

test("each mode has a count for each queue state, and the age of its oldest send", async () => {
  const accountId = await anAccount(database.db);
  for (const state of ["ready", "ready", "waiting", "leased", "in-doubt", "parked"]) await aSendIn(accountId, state);
  await aQueuedSend(database.db, { accountId, mode: "test" });
  const [live, sandbox] = await readSendingStates(database.db, rule, 1_000);
  const recent = expect.closeTo(0, -1);
  expect(live?.queue).toEqual({
    ready: { sends: 2, oldestSeconds: recent },
    waiting: { sends: 1, oldestSeconds: recent },
    leased: { sends: 1, oldestSeconds: recent },
    "in-doubt": { sends: 1, oldestSeconds: expect.closeTo(100, -1) },
    parked: { sends: 1, oldestSeconds: expect.closeTo(100, -1) },
  });
  expect(sandbox?.queue).toMatchObject({
    ready: { sends: 1, oldestSeconds: recent },
    parked: { sends: 0, oldestSeconds: null },
  });
});

test("counting stops at the limit", async () => {
  const accountId = await anAccount(database.db);
  for (const state of ["ready", "waiting"]) for (let count = 0; count < 4; count++) await aSendIn(accountId, state);
  const [live] = await readSendingStates(database.db, rule, 3);
  expect(live?.queue).toMatchObject({ ready: { sends: 3 }, waiting: { sends: 3 }, leased: { sends: 0 } });
});

test("holds and the allowed rate are reported", async () => {
  expect((await readSendingStates(database.db, rule, 1_000))[0]).toMatchObject({ hold: null, operatorHold: null });
  await holdProvider(database.db, "live", "quota");
  await holdByOperator(database.db, "a reason");
  const [live, sandbox] = await readSendingStates(database.db, rule, 1_000);
  expect(live).toMatchObject({
    hold: { reason: "quota", heldSeconds: expect.closeTo(0, 0), probeInSeconds: expect.closeTo(60, 0) },
    operatorHold: { note: "a reason", heldSeconds: expect.closeTo(0, 0) },
    rate: { maxPerSecond: 14 },
  });
  expect(sandbox).toMatchObject({ hold: null, operatorHold: { note: "a reason" } });
});

async function aSendIn(accountId: string, state: string): Promise<void> {
  const id = await aQueuedSend(database.db, { accountId });
  await change(
    database.db,
    "update send_queue set state = $2, due_at = now() - interval '100 seconds' where id = $1 and $2 <> 'ready'",
    [id, state],
  );
}
