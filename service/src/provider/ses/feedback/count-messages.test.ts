import { randomUUID } from "node:crypto";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { createMessageCounter } from "./count-messages.ts";

const simulator = useSesSimulator({});

test("messages are counted in the queue, in flight and in the dead-letter queue that its policy names", async () => {
  const { region, url: endpoint } = simulator;
  const client = new SQSClient({ endpoint, region });
  const create = async () => {
    const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName: randomUUID() }));
    return QueueUrl;
  };
  const [queueUrl, deadUrl] = [await create(), await create()];
  const count = createMessageCounter({ region, endpoint, queueUrl });
  expect(await count()).toEqual({ queued: 0, inFlight: 0, deadLetters: undefined });

  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ["QueueArn"] }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 100 });
  await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { RedrivePolicy } }));
  for (const QueueUrl of [queueUrl, queueUrl, queueUrl, deadUrl]) {
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "{}" }));
  }
  await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 1, VisibilityTimeout: 30 }));
  expect(await count()).toEqual({ queued: 2, inFlight: 1, deadLetters: 1 });
  client.destroy();
});
