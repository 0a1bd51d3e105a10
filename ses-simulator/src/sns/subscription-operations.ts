import { randomUUID } from "node:crypto";
import type { Simulation } from "../simulation.ts";
import { askToConfirm, isCurrentToken, newToken } from "./ask-to-confirm.ts";
import { problemWithDeliveryPolicy } from "./retry-schedule.ts";
import { SnsError } from "./sns-error.ts";
import { attributesIn, required, type SnsRequest } from "./sns-request.ts";
import type { Subscription } from "./topic.ts";
import { requireTopic } from "./topic-operations.ts";
import { entries, type Xml } from "./xml.ts";

const writable = ["RawMessageDelivery", "DeliveryPolicy", "RedrivePolicy"];

/** A queue of the same account is confirmed at once; an endpoint must prove that it wants the messages. */
export async function subscribe(simulation: Simulation, request: SnsRequest): Promise<Xml> {
  const topic = requireTopic(simulation, required(request, "TopicArn"));
  const protocol = readProtocol(required(request, "Protocol"));
  const endpoint = required(request, "Endpoint");
  requireEndpoint(protocol, endpoint);
  const attributes = attributesIn(request, "Attributes");
  for (const [name, value] of Object.entries(attributes)) requireAttribute(name, value);
  const known = [...simulation.subscriptions.values()].find(
    (other) => other.topicArn === topic.arn && other.protocol === protocol && other.endpoint === endpoint,
  );
  const subscription: Subscription = known ?? {
    arn: `${topic.arn}:${randomUUID()}`,
    topicArn: topic.arn,
    protocol,
    endpoint,
    isConfirmed: protocol === "sqs",
    ...newToken(simulation),
    authenticateOnUnsubscribe: false,
    attributes,
  };
  simulation.subscriptions.set(subscription.arn, subscription);
  if (!subscription.isConfirmed) await askToConfirm(simulation, subscription, "SubscriptionConfirmation");
  const showArn = subscription.isConfirmed || request.form.get("ReturnSubscriptionArn") === "true";
  return { SubscriptionArn: showArn ? subscription.arn : "pending confirmation" };
}

export function confirmSubscription(simulation: Simulation, request: SnsRequest): Xml {
  const topic = requireTopic(simulation, required(request, "TopicArn"));
  const token = required(request, "Token");
  const subscription = [...simulation.subscriptions.values()].find(
    (candidate) => candidate.topicArn === topic.arn && candidate.token === token,
  );
  if (subscription === undefined || !isCurrentToken(simulation, subscription)) {
    throw new SnsError("InvalidParameter", "Invalid token");
  }
  const authenticateOnUnsubscribe = request.isSigned && request.form.get("AuthenticateOnUnsubscribe") === "true";
  simulation.subscriptions.set(subscription.arn, { ...subscription, isConfirmed: true, authenticateOnUnsubscribe });
  return { SubscriptionArn: subscription.arn };
}

/** The endpoint is told, with a token that brings the subscription back: the link could have been clicked by anyone. */
export async function unsubscribe(simulation: Simulation, request: SnsRequest): Promise<Xml> {
  const subscription = simulation.subscriptions.get(required(request, "SubscriptionArn"));
  if (subscription === undefined) return {};
  if (subscription.authenticateOnUnsubscribe && !request.isSigned) {
    throw new SnsError("AuthorizationError", "This subscription can only be removed by an authenticated request");
  }
  if (subscription.protocol === "sqs") {
    simulation.subscriptions.delete(subscription.arn);
    return {};
  }
  const removed = { ...subscription, isConfirmed: false, ...newToken(simulation) };
  simulation.subscriptions.set(removed.arn, removed);
  await askToConfirm(simulation, removed, "UnsubscribeConfirmation");
  return {};
}

export function listSubscriptions(simulation: Simulation, request: SnsRequest): Xml {
  const topicArn = request.form.get("TopicArn");
  if (topicArn !== null) requireTopic(simulation, topicArn);
  const member = [...simulation.subscriptions.values()]
    .filter((subscription) => topicArn === null || subscription.topicArn === topicArn)
    .map((subscription) => ({
      TopicArn: subscription.topicArn,
      Protocol: subscription.protocol,
      SubscriptionArn: subscription.isConfirmed ? subscription.arn : "PendingConfirmation",
      Owner: simulation.settings.accountId,
      Endpoint: subscription.endpoint,
    }));
  return { Subscriptions: { member } };
}

export function getSubscriptionAttributes(simulation: Simulation, request: SnsRequest): Xml {
  const subscription = requireSubscription(simulation, request);
  return {
    Attributes: entries({
      SubscriptionArn: subscription.arn,
      TopicArn: subscription.topicArn,
      Protocol: subscription.protocol,
      Endpoint: subscription.endpoint,
      Owner: simulation.settings.accountId,
      PendingConfirmation: String(!subscription.isConfirmed),
      ConfirmationWasAuthenticated: String(subscription.authenticateOnUnsubscribe),
      RawMessageDelivery: "false",
      ...subscription.attributes,
    }),
  };
}

export function setSubscriptionAttributes(simulation: Simulation, request: SnsRequest): Xml {
  const subscription = requireSubscription(simulation, request);
  const name = required(request, "AttributeName");
  const value = request.form.get("AttributeValue") ?? "";
  requireAttribute(name, value);
  const attributes = { ...subscription.attributes, [name]: value };
  simulation.subscriptions.set(subscription.arn, { ...subscription, attributes });
  return {};
}

function requireSubscription(simulation: Simulation, request: SnsRequest): Subscription {
  const subscription = simulation.subscriptions.get(required(request, "SubscriptionArn"));
  if (subscription === undefined) throw new SnsError("NotFound", "Subscription does not exist");
  return subscription;
}

function readProtocol(text: string): Subscription["protocol"] {
  if (text === "http" || text === "https" || text === "sqs") return text;
  throw new SnsError("InvalidParameter", `Invalid parameter: the simulator has no protocol ${text}`);
}

function requireEndpoint(protocol: Subscription["protocol"], endpoint: string): void {
  const fits =
    protocol === "sqs" ? /^arn:aws:sqs:[^:]+:\d{12}:.+$/.test(endpoint) : endpoint.startsWith(`${protocol}://`);
  if (!fits || (protocol !== "sqs" && !URL.canParse(endpoint))) {
    throw new SnsError("InvalidParameter", "Invalid parameter: Endpoint does not match its protocol");
  }
}

function requireAttribute(name: string, value: string): void {
  if (!writable.includes(name)) throw new SnsError("InvalidParameter", `Invalid parameter: AttributeName ${name}`);
  const problem = problemWith(name, value);
  if (problem !== undefined) throw new SnsError("InvalidParameter", `Invalid parameter: ${name}: ${problem}`);
}

function problemWith(name: string, value: string): string | undefined {
  switch (name) {
    case "DeliveryPolicy":
      return problemWithDeliveryPolicy(value);
    case "RedrivePolicy":
      return /"deadLetterTargetArn"\s*:\s*"arn:aws:sqs:/.test(value) || value === ""
        ? undefined
        : "no deadLetterTargetArn";
    default:
      return undefined;
  }
}
