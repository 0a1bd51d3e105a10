import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  MessageNotInflight,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aQueue } from "../test/builders.ts";
import { receiveMessages, sendMessage } from "../test/queue-messages.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** Fact sheet, section 7. */
describe("SQS visibility timeout", () => {
  test("SQS hides a received message for the timeout and then returns it with a new handle and count", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "again");
    const [first] = (await receiveMessages(running, url, { VisibilityTimeout: 1 })) ?? [];
    expect(await receiveMessages(running, url)).toBeUndefined();
    const [second] =
      (await receiveMessages(running, url, { WaitTimeSeconds: 5, MessageSystemAttributeNames: ["All"] })) ?? [];
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
  });

  test("with timeout 0, a request returns a message once, and the next request returns it again", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "zero");
    expect(await receiveMessages(running, url, { VisibilityTimeout: 0, MaxNumberOfMessages: 10 })).toHaveLength(1);
    expect(await receiveMessages(running, url)).toHaveLength(1);
  });

  test("a change to 0 releases a message, and a change for a message that is not in flight is MessageNotInflight", async () => {
    const { url } = await aQueue(running);
    await sendMessage(running, url, "back");
    const [{ ReceiptHandle } = {}] = (await receiveMessages(running, url)) ?? [];
    const change = new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 });
    await running.sqs.send(change);
    await expect(running.sqs.send(change)).rejects.toBeInstanceOf(MessageNotInflight);
    expect(await receiveMessages(running, url)).toHaveLength(1);
    const tooLong = { QueueUrl: url, ReceiptHandle, VisibilityTimeout: 43_201 };
    await expect(running.sqs.send(new ChangeMessageVisibilityCommand(tooLong))).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });
});

describe("SQS visibility timeout in a batch", () => {
  test("SQS changes the timeout of each entry separately", async () => {
    const { url: QueueUrl } = await aQueue(running);
    await sendMessage(running, QueueUrl, "back");
    const [{ ReceiptHandle } = {}] = (await receiveMessages(running, QueueUrl)) ?? [];
    const Entries = [
      { Id: "good", ReceiptHandle, VisibilityTimeout: 0 },
      { Id: "long", ReceiptHandle, VisibilityTimeout: 43_201 },
    ];
    const answer = await running.sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    expect(answer.Successful).toEqual([{ Id: "good" }]);
    expect(answer.Failed).toMatchObject([{ Id: "long", SenderFault: true, Code: "InvalidParameterValue" }]);
    expect(await receiveMessages(running, QueueUrl)).toHaveLength(1);
  });
});
