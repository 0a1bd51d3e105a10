import { DeleteTopicCommand, SetTopicAttributesCommand } from "@aws-sdk/client-sns";
import type { SimulatedAws } from "../../test/simulated-aws.ts";
import { changeNothing, type Fault, setUpFix } from "./fault.ts";

/** A policy that lets anyone do anything. */
export const anyone = JSON.stringify({ Statement: [{ Effect: "Allow", Principal: "*", Action: "*", Resource: "*" }] });

function topicAttribute(AttributeName: string, AttributeValue: string) {
  return ({ sns, topicArn: TopicArn }: SimulatedAws) =>
    sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
}

export const topicFaults: Fault[] = [
  {
    name: "AWS_FEEDBACK_TOPIC_ARN is not set",
    inject: changeNothing,
    settings: { AWS_FEEDBACK_TOPIC_ARN: undefined },
    check: "topic",
    fix: setUpFix,
  },
  {
    name: "the topic is deleted",
    inject: ({ sns, topicArn: TopicArn }) => sns.send(new DeleteTopicCommand({ TopicArn })),
    check: "topic",
    fix: setUpFix,
  },
  {
    name: "the topic signs with SHA-1",
    inject: topicAttribute("SignatureVersion", "1"),
    check: "topic.signature",
    fix: setUpFix,
    consequences: ["assumption.signature"],
  },
  {
    name: "anyone may publish to the topic",
    inject: topicAttribute("Policy", anyone),
    check: "topic.policy",
    fix: setUpFix,
  },
  {
    name: "the topic is encrypted with the key of AWS",
    inject: topicAttribute("KmsMasterKeyId", "alias/aws/sns"),
    check: "topic.encryption",
    fix: /SNS console/,
  },
];
