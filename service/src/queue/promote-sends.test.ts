import { expect, test } from "vitest";
import { aClaimedSend, attemptOf } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { promoteDueSends } from "./promote-sends.ts";
import { markInDoubt, retryLater } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a due waiting send becomes ready and keeps its attempt and backoff, and others keep waiting", async () => {
  const [due, notYet] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
  const later = { outcome: "try-later", usesRetryWindow: true } as const;
  await retryLater(database.db, [{ ...attemptOf(due), ...later, delaySeconds: -1 }]);
  await retryLater(database.db, [{ ...attemptOf(notYet), ...later, delaySeconds: 5 }]);
  expect(await promoteDueSends(database.db, "live")).toBe(1);
  const row = { state: "ready", attempt: 1, backoffStep: 1, isRetrying: true, dueInSeconds: null };
  expect(await queueRow(database.db, due.id)).toMatchObject(row);
  expect(await queueRow(database.db, notYet.id)).toMatchObject({ state: "waiting" });
});

test("a leased or in-doubt send is never promoted", async () => {
  const [leased, inDoubt] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
  await markInDoubt(database.db, [{ ...attemptOf(inDoubt), outcome: "unknown" }]);
  await change(database.db, "update send_queue set due_at = now() - interval '1 hour'");
  expect(await promoteDueSends(database.db, "live")).toBe(0);
  expect(await queueRow(database.db, leased.id)).toMatchObject({ state: "leased" });
  expect(await queueRow(database.db, inDoubt.id)).toMatchObject({ state: "in-doubt" });
});
