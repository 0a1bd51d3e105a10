import { CreateTopicCommand, SetTopicAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { ProviderError } from "../email-provider.ts";
import { clientSettings } from "./client-settings.ts";
import { type Ask, createAsk } from "./control-call.ts";

export interface TopicCalls {
  client: SNSClient;
  ask: Ask;
}

export function topicCalls(region: string, endpoint: string | undefined): TopicCalls {
  const timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };
  const client = new SNSClient(clientSettings({ service: "sns", region, endpoint, timeouts }));
  return { client, ask: createAsk(timeouts.requestMs) };
}

/** Answers with the same ARN when there is one already. Attributes are set apart: SNS refuses to change them here. */
export async function createTopic({ client, ask }: TopicCalls, name: string): Promise<string> {
  const command = new CreateTopicCommand({ Name: name });
  const { TopicArn } = await ask((deadline) => client.send(command, deadline));
  if (TopicArn === undefined) throw new ProviderError("unavailable", "SNS told no ARN of the topic.", undefined);
  return TopicArn;
}

/** Version 1, the default, is SHA-1. */
export function signWithSha256(calls: TopicCalls, topicArn: string): Promise<"done"> {
  return setAttribute(calls, topicArn, "SignatureVersion", "2");
}

/** Bound to account and configuration set: otherwise any AWS customer's SES could tell us stories about our mail. */
export function allowPublishing(calls: TopicCalls, topicArn: string, configurationSetName: string): Promise<"done"> {
  const [, partition, , region, accountId] = topicArn.split(":");
  const policy = {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "PosternSesEvents",
        Effect: "Allow",
        Principal: { Service: "ses.amazonaws.com" },
        Action: "sns:Publish",
        Resource: topicArn,
        Condition: {
          StringEquals: {
            "AWS:SourceAccount": accountId,
            "AWS:SourceArn": `arn:${partition}:ses:${region}:${accountId}:configuration-set/${configurationSetName}`,
          },
        },
      },
    ],
  };
  return setAttribute(calls, topicArn, "Policy", JSON.stringify(policy));
}

async function setAttribute(
  { client, ask }: TopicCalls,
  topicArn: string,
  name: string,
  value: string,
): Promise<"done"> {
  const command = new SetTopicAttributesCommand({ TopicArn: topicArn, AttributeName: name, AttributeValue: value });
  await ask((deadline) => client.send(command, deadline));
  return "done";
}
