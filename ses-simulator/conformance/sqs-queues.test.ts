import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  InvalidAttributeName,
  ListQueuesCommand,
  QueueDoesNotExist,
  QueueNameExists,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { aQueue, policyFor } from "../test/builders.ts";
import { receiveMessages, sendMessage } from "../test/queue-messages.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** Fact sheet, section 7. */
describe("SQS queues", () => {
  test("SQS creates, finds, lists and deletes a queue, and a repeated creation returns the same queue", async () => {
    const create = new CreateQueueCommand({ QueueName: "same", Attributes: { VisibilityTimeout: "5" } });
    const { QueueUrl = "" } = await running.sqs.send(create);
    expect(QueueUrl).toBe(`${running.url}/000000000000/same`);
    expect((await running.sqs.send(create)).QueueUrl).toBe(QueueUrl);
    expect((await running.sqs.send(new GetQueueUrlCommand({ QueueName: "same" }))).QueueUrl).toBe(QueueUrl);
    expect((await running.sqs.send(new ListQueuesCommand({ QueueNamePrefix: "sam" }))).QueueUrls).toEqual([QueueUrl]);
    const other = new CreateQueueCommand({ QueueName: "same", Attributes: { VisibilityTimeout: "6" } });
    await expect(running.sqs.send(other)).rejects.toBeInstanceOf(QueueNameExists);
    await running.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await expect(sendMessage(running, QueueUrl, "late")).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test("SQS returns and changes the attributes of a queue and refuses unknown or invalid ones", async () => {
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

  test("SQS answers QueueDoesNotExist with status 400 for an unknown queue", async () => {
    const QueueUrl = `${running.url}/000000000000/none`;
    await expect(receiveMessages(running, QueueUrl)).rejects.toBeInstanceOf(QueueDoesNotExist);
    await expect(receiveMessages(running, QueueUrl)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
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
