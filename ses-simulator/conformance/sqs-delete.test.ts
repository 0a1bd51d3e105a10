import {
  BatchEntryIdsNotDistinct,
  DeleteMessageBatchCommand,
  EmptyBatchRequest,
  PurgeQueueCommand,
  ReceiptHandleIsInvalid,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aQueue } from "../test/builders.ts";
import { deleteMessage, receiveMessages, sendMessage } from "../test/queue-messages.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** Fact sheet, section 7. */
describe("SQS deletion", () => {
  test("a deletion is final, and a repeated deletion succeeds", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "once");
    const [{ ReceiptHandle } = {}] = (await receiveMessages(running, url, { VisibilityTimeout: 1 })) ?? [];
    await deleteMessage(running, url, ReceiptHandle);
    await deleteMessage(running, url, ReceiptHandle);
    expect(await receiveMessages(running, url, { WaitTimeSeconds: 2 })).toBeUndefined();
  });

  test("a deletion with the handle of an earlier receive succeeds and deletes nothing", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "twice");
    const [first] = (await receiveMessages(running, url, { VisibilityTimeout: 0 })) ?? [];
    await receiveMessages(running, url, { VisibilityTimeout: 0 });
    await deleteMessage(running, url, first?.ReceiptHandle);
    expect(await receiveMessages(running, url)).toHaveLength(1);
  });

  test("a deletion with an invalid handle is a ReceiptHandleIsInvalid", async () => {
    const { url } = await aQueue(running);
    await expect(deleteMessage(running, url, "nonsense")).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
  });

  test("a batch deletion answers 200 and reports the failed entries", async () => {
    const { url: QueueUrl } = await aQueue(running);
    await sendMessage(running, QueueUrl, "good");
    const [{ ReceiptHandle } = {}] = (await receiveMessages(running, QueueUrl)) ?? [];
    const Entries = [
      { Id: "good", ReceiptHandle },
      { Id: "bad", ReceiptHandle: "nonsense" },
    ];
    const answer = await running.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(answer.$metadata.httpStatusCode).toBe(200);
    expect(answer.Successful).toEqual([{ Id: "good" }]);
    expect(answer.Failed).toMatchObject([{ Id: "bad", SenderFault: true, Code: "ReceiptHandleIsInvalid" }]);
  });

  test("a rule makes entries of a batch deletion fail, and SQS keeps their messages", async () => {
    const { url: QueueUrl } = await aQueue(running);
    for (const body of ["a", "b"]) await sendMessage(running, QueueUrl, body);
    const messages =
      (await receiveMessages(running, QueueUrl, { MaxNumberOfMessages: 10, VisibilityTimeout: 1 })) ?? [];
    await running.control("POST", "rules", {
      operation: "DeleteMessageBatch",
      times: 1,
      fault: { kind: "partial-failure" },
    });
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const { Failed, Successful } = await running.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(Failed).toMatchObject([{ Id: "0", SenderFault: false, Code: "InternalError" }]);
    expect(Successful).toEqual([{ Id: "1" }]);
    expect((await receiveMessages(running, QueueUrl, { WaitTimeSeconds: 3 }))?.[0]?.MessageId).toBe(
      messages[0]?.MessageId,
    );
  });

  test("a batch deletion needs one to ten entries with distinct ids", async () => {
    const { url: QueueUrl } = await aQueue(running);
    const batch = (ids: string[]) =>
      running.sqs.send(
        new DeleteMessageBatchCommand({ QueueUrl, Entries: ids.map((Id) => ({ Id, ReceiptHandle: "x" })) }),
      );
    await expect(batch([])).rejects.toBeInstanceOf(EmptyBatchRequest);
    await expect(batch(["a", "a"])).rejects.toBeInstanceOf(BatchEntryIdsNotDistinct);
    await expect(batch(Array.from({ length: 11 }, (_, id) => String(id)))).rejects.toBeInstanceOf(
      TooManyEntriesInBatchRequest,
    );
  });

  test("PurgeQueue deletes all messages", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "purged");
    await running.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    expect(await receiveMessages(running, url)).toBeUndefined();
  });
});
