import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ProviderError } from "../provider/email-provider.ts";
import { countQueue, countQueueChores } from "./count-queue.ts";
import { readFeedbackState } from "./feedback-gap.ts";

const database = useTestDatabase();

test("the counts of the queue are stored, and unknown again when SQS denies the request", async () => {
  await countQueue(database.db, "live", async () => ({ queued: 7, inFlight: 3, deadLetters: undefined }));
  expect(await counts()).toEqual({ queuedMessages: 7, inFlightMessages: 3, deadLetters: null });
  await countQueue(database.db, "live", () => Promise.reject(new ProviderError("denied", "no permission", undefined)));
  expect(await counts()).toEqual({ queuedMessages: null, inFlightMessages: null, deadLetters: null });
});

test("a failure of SQS fails the chore and leaves the last counts", async () => {
  await countQueue(database.db, "live", async () => ({ queued: 0, inFlight: 0, deadLetters: 2 }));
  const count = () => Promise.reject(new ProviderError("unavailable", "gone", undefined));
  const [chore] = countQueueChores({ db: database.db, count });
  await expect(chore?.run()).rejects.toThrow("gone");
  expect(await counts()).toMatchObject({ deadLetters: 2 });
  expect(countQueueChores({ db: database.db, count: undefined })).toEqual([]);
});

async function counts() {
  const rule = { feedbackGapSeconds: 900, hasFeedbackQueue: true };
  const { queuedMessages, inFlightMessages, deadLetters } = await readFeedbackState(database.db, "live", rule);
  return { queuedMessages, inFlightMessages, deadLetters };
}
