import { isPolicy } from "../policy/policy-allows.ts";
import type { Simulation } from "../simulation.ts";
import { fanOut, preparePublication } from "./publish.ts";
import { findDeliveryPolicyProblem } from "./retry-schedule.ts";
import { SnsError } from "./sns-error.ts";
import { readAttributes, requireParameter, type SnsRequest } from "./sns-request.ts";
import type { Topic } from "./topic.ts";
import { entries, type Xml } from "./xml.ts";

const maxMessageBytes = 256 * 1024;
const writable = ["Policy", "DeliveryPolicy", "SignatureVersion", "DisplayName", "TracingConfig", "KmsMasterKeyId"];

export function createTopic(simulation: Simulation, request: SnsRequest): Xml {
  const name = requireParameter(request, "Name");
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(name)) throw new SnsError("InvalidParameter", "Invalid parameter: Topic Name");
  const { region, accountId } = simulation.settings;
  const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
  if (!simulation.topics.has(arn)) {
    const attributes = readAttributes(request, "Attributes");
    for (const [key, value] of Object.entries(attributes)) requireAttribute(key, value);
    simulation.topics.set(arn, { arn, name, attributes });
  }
  return { TopicArn: arn };
}

export function deleteTopic(simulation: Simulation, request: SnsRequest): Xml {
  const arn = requireParameter(request, "TopicArn");
  simulation.topics.delete(arn);
  for (const { arn: subscriptionArn, topicArn } of simulation.subscriptions.values()) {
    if (topicArn === arn) simulation.subscriptions.delete(subscriptionArn);
  }
  return {};
}

export function listTopics(simulation: Simulation): Xml {
  return { Topics: { member: [...simulation.topics.values()].map(({ arn }) => ({ TopicArn: arn })) } };
}

export function getTopicAttributes(simulation: Simulation, request: SnsRequest): Xml {
  const topic = requireTopic(simulation, requireParameter(request, "TopicArn"));
  const subscriptions = [...simulation.subscriptions.values()].filter(({ topicArn }) => topicArn === topic.arn);
  return {
    Attributes: entries({
      TopicArn: topic.arn,
      Owner: simulation.settings.accountId,
      DisplayName: "",
      SignatureVersion: "1",
      ...topic.attributes,
      SubscriptionsConfirmed: String(subscriptions.filter(({ isConfirmed }) => isConfirmed).length),
      SubscriptionsPending: String(subscriptions.filter(({ isConfirmed }) => !isConfirmed).length),
    }),
  };
}

export function setTopicAttributes(simulation: Simulation, request: SnsRequest): Xml {
  const topic = requireTopic(simulation, requireParameter(request, "TopicArn"));
  const name = requireParameter(request, "AttributeName");
  const value = request.form.get("AttributeValue") ?? "";
  requireAttribute(name, value);
  simulation.topics.set(topic.arn, { ...topic, attributes: { ...topic.attributes, [name]: value } });
  return {};
}

export async function publish(simulation: Simulation, request: SnsRequest): Promise<Xml> {
  const topic = requireTopic(simulation, request.form.get("TargetArn") ?? requireParameter(request, "TopicArn"));
  const message = requireParameter(request, "Message");
  if (Buffer.byteLength(message) > maxMessageBytes)
    throw new SnsError("InvalidParameter", "Invalid parameter: Message too long");
  const subject = request.form.get("Subject") ?? undefined;
  const publication = await preparePublication(simulation, topic.arn, { message, subject });
  fanOut(simulation, publication);
  return { MessageId: publication.message.fields.MessageId };
}

export function requireTopic(simulation: Simulation, arn: string): Topic {
  const topic = simulation.topics.get(arn);
  if (topic === undefined) throw new SnsError("NotFound", "Topic does not exist");
  return topic;
}

function requireAttribute(name: string, value: string): void {
  if (!writable.includes(name)) throw new SnsError("InvalidParameter", `Invalid parameter: AttributeName ${name}`);
  const problem = findProblem(name, value);
  if (problem !== undefined) throw new SnsError("InvalidParameter", `Invalid parameter: ${name}: ${problem}`);
}

function findProblem(name: string, value: string): string | undefined {
  switch (name) {
    case "Policy":
      return isPolicy(value) ? undefined : "not a policy";
    case "DeliveryPolicy":
      return findDeliveryPolicyProblem(value);
    case "SignatureVersion":
      return value === "1" || value === "2" ? undefined : "must be 1 or 2";
    default:
      return undefined;
  }
}
