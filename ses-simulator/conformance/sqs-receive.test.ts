import { createHash } from "node:crypto";
import { ChangeMessageVisibilityCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aQueue } from "../test/builders.ts";
import { deleteMessage, receiveMessages, sendMessage } from "../test/queue-messages.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** Fact sheet, section 7. */
describe("ReceiveMessage", () => {
  test("SQS returns body, MD5, handle and the system attributes", async () => {
    const { url } = await aQueue(running);
    const { MessageId } = await sendMessage(running, url, "hello ü");
    const [message] = (await receiveMessages(running, url, { MessageSystemAttributeNames: ["All"] })) ?? [];
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

  test("SQS returns no Messages member when the queue is empty", async () => {
    const { url } = await aQueue(running);
    expect(await running.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }))).not.toHaveProperty("Messages");
  });

  test("SQS returns at most ten messages and refuses a request for eleven messages or a wait of 21 s", async () => {
    const { url } = await aQueue(running);
    for (let number = 0; number < 12; number++) await sendMessage(running, url, String(number));
    expect(await receiveMessages(running, url, { MaxNumberOfMessages: 10 })).toHaveLength(10);
    await expect(receiveMessages(running, url, { MaxNumberOfMessages: 11 })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
    await expect(receiveMessages(running, url, { WaitTimeSeconds: 21 })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  test("long polling returns when a message arrives, and otherwise when the requested time ends", async () => {
    const { url } = await aQueue(running);
    const waiting = receiveMessages(running, url, { WaitTimeSeconds: 20 });
    await sendMessage(running, url, "later");
    expect((await waiting)?.[0]?.Body).toBe("later");
    const started = performance.now();
    expect(await receiveMessages(running, url, { WaitTimeSeconds: 1 })).toBeUndefined();
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test("SQS does not hide a message for a caller that has disconnected", async () => {
    const { url } = await aQueue(running);
    const abort = new AbortController();
    const receiving = running.sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    });
    setTimeout(() => abort.abort(), 100);
    await expect(receiving).rejects.toThrow();
    await sendMessage(running, url, "for another receiver");
    expect((await receiveMessages(running, url, { WaitTimeSeconds: 1 }))?.[0]?.Body).toBe("for another receiver");
  });

  test("a wrong MD5 makes the SDK reject the whole batch", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "damaged");
    await running.control("POST", "rules", { operation: "ReceiveMessage", times: 1, fault: { kind: "wrong-md5" } });
    await expect(receiveMessages(running, url)).rejects.toThrow(/Invalid MD5 checksum on messages/);
  });
});

describe("SQS delivery", () => {
  test("a rule makes SQS deliver one message to two receivers", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "shared");
    await running.control("POST", "rules", {
      operation: "ReceiveMessage",
      times: 1,
      fault: { kind: "duplicate-receive" },
    });
    const [one, two] = [await receiveMessages(running, url), await receiveMessages(running, url)];
    expect(two?.[0]?.MessageId).toBe(one?.[0]?.MessageId);
  });

  test("SQS moves a message to the dead-letter queue after maxReceiveCount receives and keeps its send time", async () => {
    const deadLetterQueue = await aQueue(running);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetterQueue.arn, maxReceiveCount: 2 });
    const { url } = await aQueue(running, { RedrivePolicy });
    await sendMessage(running, url, "poison");
    const sentAt = (
      await receiveMessages(running, url, { VisibilityTimeout: 0, MessageSystemAttributeNames: ["All"] })
    )?.[0]?.Attributes?.SentTimestamp;
    await receiveMessages(running, url, { VisibilityTimeout: 0 });
    expect(await receiveMessages(running, url)).toBeUndefined();
    const [moved] =
      (await receiveMessages(running, deadLetterQueue.url, { MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(moved?.Body).toBe("poison");
    expect(moved?.Attributes).toMatchObject({ SentTimestamp: sentAt, ApproximateReceiveCount: "1" });
  });

  test("messages, their receive counts and their handles survive a restart", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "kept");
    const [first] = (await receiveMessages(running, url, { VisibilityTimeout: 30 })) ?? [];
    await running.restart();
    const newUrl = url.replace(/:\d+\//, `:${running.simulator.port}/`);
    expect(await receiveMessages(running, newUrl)).toBeUndefined();
    const release = { QueueUrl: newUrl, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 };
    await running.sqs.send(new ChangeMessageVisibilityCommand(release));
    const [second] = (await receiveMessages(running, newUrl, { MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
    await deleteMessage(running, newUrl, second?.ReceiptHandle);
  });
});
