import { createHash } from "node:crypto";
import {
  BatchEntryIdsNotDistinct,
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  EmptyBatchRequest,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  InvalidAttributeName,
  ListQueuesCommand,
  MessageNotInflight,
  PurgeQueueCommand,
  QueueDoesNotExist,
  QueueNameExists,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aQueue, policyFor } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();
const add = (QueueUrl: string, MessageBody: string) =>
  running.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
const receive = async (QueueUrl: string, changes: Partial<ReceiveMessageCommandInput> = {}) =>
  (await running.sqs.send(new ReceiveMessageCommand({ QueueUrl, ...changes }))).Messages;
const remove = (QueueUrl: string, ReceiptHandle = "") =>
  running.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

/** Fact sheet, section 7. */
describe("queues", () => {
  test("are created twice alike, found, listed and deleted", async () => {
    const create = new CreateQueueCommand({ QueueName: "same", Attributes: { VisibilityTimeout: "5" } });
    const { QueueUrl = "" } = await running.sqs.send(create);
    expect(QueueUrl).toBe(`${running.url}/000000000000/same`);
    expect((await running.sqs.send(create)).QueueUrl).toBe(QueueUrl);
    expect((await running.sqs.send(new GetQueueUrlCommand({ QueueName: "same" }))).QueueUrl).toBe(QueueUrl);
    expect((await running.sqs.send(new ListQueuesCommand({ QueueNamePrefix: "sam" }))).QueueUrls).toEqual([QueueUrl]);
    const other = new CreateQueueCommand({ QueueName: "same", Attributes: { VisibilityTimeout: "6" } });
    await expect(running.sqs.send(other)).rejects.toBeInstanceOf(QueueNameExists);
    await running.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await expect(add(QueueUrl, "late")).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test("show and change their attributes, and refuse unknown or wrong ones", async () => {
    const { url: QueueUrl, arn } = await aQueue(running);
    const set = (Attributes: Record<string, string>) =>
      running.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    const Policy = policyFor("sns.amazonaws.com", "sqs:SendMessage");
    await set({ Policy, MessageRetentionPeriod: "1209600" });
    const { Attributes } = await running.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    expect(Attributes).toMatchObject({
      QueueArn: arn,
      Policy,
      MessageRetentionPeriod: "1209600",
      VisibilityTimeout: "30",
    });
    await expect(set({ Nonsense: "1" })).rejects.toBeInstanceOf(InvalidAttributeName);
    await expect(set({ VisibilityTimeout: "43201" })).rejects.toMatchObject({ name: "InvalidAttributeValue" });
    await expect(set({ RedrivePolicy: "{}" })).rejects.toMatchObject({ name: "InvalidAttributeValue" });
  });

  test("that do not exist are a QueueDoesNotExist with status 400", async () => {
    const QueueUrl = `${running.url}/000000000000/none`;
    await expect(receive(QueueUrl)).rejects.toBeInstanceOf(QueueDoesNotExist);
    await expect(receive(QueueUrl)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
    const response = await fetch(running.url, {
      method: "POST",
      headers: {
        "x-amz-target": "AmazonSQS.ReceiveMessage",
        "x-amz-date": "20261115T000000Z",
        authorization: `AWS4-HMAC-SHA256 Credential=A/20261115/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
      },
      body: JSON.stringify({ QueueUrl }),
    });
    expect(response.headers.get("x-amzn-query-error")).toBe("AWS.SimpleQueueService.NonExistentQueue;Sender");
    expect(await response.json()).toMatchObject({ __type: "com.amazonaws.sqs#QueueDoesNotExist" });
  });
});

describe("ReceiveMessage", () => {
  test("gives body, MD5, handle and the system attributes", async () => {
    const { url } = await aQueue(running);
    const { MessageId } = await add(url, "hello ü");
    const [message] = (await receive(url, { MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(message).toMatchObject({
      MessageId,
      Body: "hello ü",
      MD5OfBody: createHash("md5").update("hello ü").digest("hex"),
      Attributes: {
        ApproximateReceiveCount: "1",
        SenderId: expect.any(String),
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      },
    });
  });

  test("gives no Messages member when the queue is empty", async () => {
    const { url } = await aQueue(running);
    expect(await running.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }))).not.toHaveProperty("Messages");
  });

  test("gives at most ten, and refuses to be asked for eleven or for 21 s", async () => {
    const { url } = await aQueue(running);
    for (let number = 0; number < 12; number++) await add(url, String(number));
    expect(await receive(url, { MaxNumberOfMessages: 10 })).toHaveLength(10);
    await expect(receive(url, { MaxNumberOfMessages: 11 })).rejects.toMatchObject({ name: "InvalidParameterValue" });
    await expect(receive(url, { WaitTimeSeconds: 21 })).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  test("waits for a message that comes later, and no longer than asked for one that does not", async () => {
    const { url } = await aQueue(running);
    const waiting = receive(url, { WaitTimeSeconds: 20 });
    await add(url, "at last");
    expect((await waiting)?.[0]?.Body).toBe("at last");
    const started = performance.now();
    expect(await receive(url, { WaitTimeSeconds: 1 })).toBeUndefined();
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test("does not hide a message from others when its caller has gone", async () => {
    const { url } = await aQueue(running);
    const abort = new AbortController();
    const gone = running.sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    });
    setTimeout(() => abort.abort(), 100);
    await expect(gone).rejects.toThrow();
    await add(url, "for another");
    expect((await receive(url, { WaitTimeSeconds: 1 }))?.[0]?.Body).toBe("for another");
  });

  test("a wrong MD5 makes the SDK throw away the whole batch", async () => {
    const { url } = await aQueue(running);
    await add(url, "damaged");
    await running.control("POST", "rules", { operation: "ReceiveMessage", times: 1, fault: { kind: "wrong-md5" } });
    await expect(receive(url)).rejects.toThrow(/Invalid MD5 checksum on messages/);
  });
});

describe("visibility", () => {
  test("hides a received message for its time, then shows it again with a new handle and count", async () => {
    const { url } = await aQueue(running);
    await add(url, "again");
    const [first] = (await receive(url, { VisibilityTimeout: 1 })) ?? [];
    expect(await receive(url)).toBeUndefined();
    const [second] = (await receive(url, { WaitTimeSeconds: 5, MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
  });

  test("of 0 gives one message once per request, and is visible at once", async () => {
    const { url } = await aQueue(running);
    await add(url, "zero");
    expect(await receive(url, { VisibilityTimeout: 0, MaxNumberOfMessages: 10 })).toHaveLength(1);
    expect(await receive(url)).toHaveLength(1);
  });

  test("is changed to 0 to give a message back; a message not in flight is MessageNotInflight", async () => {
    const { url } = await aQueue(running);
    await add(url, "back");
    const [{ ReceiptHandle } = {}] = (await receive(url)) ?? [];
    const change = new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 });
    await running.sqs.send(change);
    await expect(running.sqs.send(change)).rejects.toBeInstanceOf(MessageNotInflight);
    expect(await receive(url)).toHaveLength(1);
    const tooLong = { QueueUrl: url, ReceiptHandle, VisibilityTimeout: 43_201 };
    await expect(running.sqs.send(new ChangeMessageVisibilityCommand(tooLong))).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });
});

describe("visibility in a batch", () => {
  test("is changed for each entry by itself", async () => {
    const { url: QueueUrl } = await aQueue(running);
    await add(QueueUrl, "back");
    const [{ ReceiptHandle } = {}] = (await receive(QueueUrl)) ?? [];
    const Entries = [
      { Id: "good", ReceiptHandle, VisibilityTimeout: 0 },
      { Id: "long", ReceiptHandle, VisibilityTimeout: 43_201 },
    ];
    const answer = await running.sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    expect(answer.Successful).toEqual([{ Id: "good" }]);
    expect(answer.Failed).toMatchObject([{ Id: "long", SenderFault: true, Code: "InvalidParameterValue" }]);
    expect(await receive(QueueUrl)).toHaveLength(1);
  });
});

describe("deleting", () => {
  test("removes for good, and succeeds again for what is gone", async () => {
    const { url } = await aQueue(running);
    await add(url, "once");
    const [{ ReceiptHandle } = {}] = (await receive(url, { VisibilityTimeout: 1 })) ?? [];
    await remove(url, ReceiptHandle);
    await remove(url, ReceiptHandle);
    expect(await receive(url, { WaitTimeSeconds: 2 })).toBeUndefined();
  });

  test("with the handle of an earlier receive succeeds and removes nothing", async () => {
    const { url } = await aQueue(running);
    await add(url, "twice");
    const [first] = (await receive(url, { VisibilityTimeout: 0 })) ?? [];
    await receive(url, { VisibilityTimeout: 0 });
    await remove(url, first?.ReceiptHandle);
    expect(await receive(url)).toHaveLength(1);
  });

  test("with a handle that is none is a ReceiptHandleIsInvalid", async () => {
    const { url } = await aQueue(running);
    await expect(remove(url, "nonsense")).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
  });

  test("in a batch fails in part inside a 200", async () => {
    const { url: QueueUrl } = await aQueue(running);
    await add(QueueUrl, "good");
    const [{ ReceiptHandle } = {}] = (await receive(QueueUrl)) ?? [];
    const Entries = [
      { Id: "good", ReceiptHandle },
      { Id: "bad", ReceiptHandle: "nonsense" },
    ];
    const answer = await running.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(answer.$metadata.httpStatusCode).toBe(200);
    expect(answer.Successful).toEqual([{ Id: "good" }]);
    expect(answer.Failed).toMatchObject([{ Id: "bad", SenderFault: true, Code: "ReceiptHandleIsInvalid" }]);
  });

  test("in a batch can be made to fail in part by a rule, and leaves those messages", async () => {
    const { url: QueueUrl } = await aQueue(running);
    for (const body of ["a", "b"]) await add(QueueUrl, body);
    const messages = (await receive(QueueUrl, { MaxNumberOfMessages: 10, VisibilityTimeout: 1 })) ?? [];
    await running.control("POST", "rules", {
      operation: "DeleteMessageBatch",
      times: 1,
      fault: { kind: "partial-failure" },
    });
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const { Failed, Successful } = await running.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(Failed).toMatchObject([{ Id: "0", SenderFault: false, Code: "InternalError" }]);
    expect(Successful).toEqual([{ Id: "1" }]);
    expect((await receive(QueueUrl, { WaitTimeSeconds: 3 }))?.[0]?.MessageId).toBe(messages[0]?.MessageId);
  });

  test("in a batch needs one to ten entries with distinct ids", async () => {
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

  test("all at once is PurgeQueue", async () => {
    const { url } = await aQueue(running);
    await add(url, "purged");
    await running.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    expect(await receive(url)).toBeUndefined();
  });
});

describe("at least once", () => {
  test("a message can be given to two receivers at the same time", async () => {
    const { url } = await aQueue(running);
    await add(url, "shared");
    await running.control("POST", "rules", {
      operation: "ReceiveMessage",
      times: 1,
      fault: { kind: "duplicate-receive" },
    });
    const [one, two] = [await receive(url), await receive(url)];
    expect(two?.[0]?.MessageId).toBe(one?.[0]?.MessageId);
  });

  test("after maxReceiveCount receives a message goes to the dead-letter queue with its original time", async () => {
    const dead = await aQueue(running);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
    const { url } = await aQueue(running, { RedrivePolicy });
    await add(url, "poison");
    const sentAt = (await receive(url, { VisibilityTimeout: 0, MessageSystemAttributeNames: ["All"] }))?.[0]?.Attributes
      ?.SentTimestamp;
    await receive(url, { VisibilityTimeout: 0 });
    expect(await receive(url)).toBeUndefined();
    const [moved] = (await receive(dead.url, { MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(moved?.Body).toBe("poison");
    expect(moved?.Attributes).toMatchObject({ SentTimestamp: sentAt, ApproximateReceiveCount: "1" });
  });

  test("messages, their receive count and handles survive a restart", async () => {
    const { url } = await aQueue(running);
    await add(url, "kept");
    const [first] = (await receive(url, { VisibilityTimeout: 30 })) ?? [];
    await running.restart();
    const again = url.replace(/:\d+\//, `:${running.simulator.port}/`);
    expect(await receive(again)).toBeUndefined();
    const back = { QueueUrl: again, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 };
    await running.sqs.send(new ChangeMessageVisibilityCommand(back));
    const [second] = (await receive(again, { MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
    await remove(again, second?.ReceiptHandle);
  });
});
