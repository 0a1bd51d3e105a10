import { randomUUID } from "node:crypto";
import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  type EventType,
  type SendEmailCommandInput,
} from "@aws-sdk/client-sesv2";
import { CreateTopicCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { RunningSimulator } from "./use-simulator.ts";

export const everyEvent: EventType[] = ["SEND", "DELIVERY", "BOUNCE", "COMPLAINT", "REJECT", "DELIVERY_DELAY"];

export function aMail(changes: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput {
  return {
    FromEmailAddress: "Shop <orders@shop.test>",
    Destination: { ToAddresses: ["customer@example.test"] },
    Content: {
      Simple: {
        Subject: { Data: "Your order", Charset: "UTF-8" },
        Body: { Text: { Data: "It is on its way.", Charset: "UTF-8" } },
      },
    },
    ...changes,
  };
}

export function aRawMail(mail: string, changes: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput {
  const raw = { Content: { Raw: { Data: Buffer.from(mail.replaceAll("\n", "\r\n")) } } };
  return { Destination: { ToAddresses: ["customer@example.test"] }, ...raw, ...changes };
}

export function policyFor(service: string, action: string, sourceArn = "*"): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Service: service },
        Action: action,
        Resource: "*",
        Condition: { ArnLike: { "aws:SourceArn": sourceArn } },
      },
    ],
  });
}

export async function aTopic(running: RunningSimulator, attributes: Record<string, string> = {}): Promise<string> {
  const { TopicArn = "" } = await running.sns.send(
    new CreateTopicCommand({
      Name: `events-${randomUUID()}`,
      Attributes: { Policy: policyFor("ses.amazonaws.com", "sns:Publish"), ...attributes },
    }),
  );
  return TopicArn;
}

export async function aQueue(running: RunningSimulator, attributes: Record<string, string> = {}) {
  const name = `queue-${randomUUID()}`;
  const { QueueUrl = "" } = await running.sqs.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: { Policy: policyFor("sns.amazonaws.com", "sqs:SendMessage"), ...attributes },
    }),
  );
  return { url: QueueUrl, arn: `arn:aws:sqs:eu-west-1:000000000000:${name}` };
}

export async function aConfigurationSet(
  running: RunningSimulator,
  topicArn: string,
  types = everyEvent,
): Promise<string> {
  const name = `set-${randomUUID()}`;
  await running.ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: name }));
  await running.ses.send(
    new CreateConfigurationSetEventDestinationCommand({
      ConfigurationSetName: name,
      EventDestinationName: "feedback",
      EventDestination: { Enabled: true, MatchingEventTypes: types, SnsDestination: { TopicArn: topicArn } },
    }),
  );
  return name;
}

/** SES, SNS and SQS connected in the same way as Postern does. `next(n)` waits for n events from the queue. */
export async function aFeedbackPath(running: RunningSimulator, attributes: Record<string, string> = {}) {
  const topicArn = await aTopic(running);
  const queue = await aQueue(running);
  await running.sns.send(
    new SubscribeCommand({ TopicArn: topicArn, Protocol: "sqs", Endpoint: queue.arn, Attributes: attributes }),
  );
  const setName = await aConfigurationSet(running, topicArn);
  return { topicArn, queue, setName, next: (count: number) => takeEvents(running, queue.url, count) };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the members it expects and fails if one is missing
export type AnyEvent = any;

async function takeEvents(running: RunningSimulator, queueUrl: string, count: number): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  const { sqs } = running;
  for (let poll = 0; events.length < count && poll < count + 4; poll++) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 2 }),
    );
    for (const { Body = "", ReceiptHandle } of Messages) {
      const body = JSON.parse(Body);
      events.push("Message" in body ? JSON.parse(body.Message) : body);
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
  }
  return events;
}
