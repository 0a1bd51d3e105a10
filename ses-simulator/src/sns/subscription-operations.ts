import { randomUUID } from "node:crypto";
import type { Simulation } from "../simulation.ts";
import { isTokenValid, newToken, requestConfirmation } from "./request-confirmation.ts";
import { findDeliveryPolicyProblem } from "./retry-schedule.ts";
import { SnsError } from "./sns-error.ts";
import { readAttributes, requireParameter, type SnsRequest } from "./sns-request.ts";
import type { Subscription } from "./topic.ts";
import { requireTopic } from "./topic-operations.ts";
import { entries, type Xml } from "./xml.ts";

const writable = ["RawMessageDelivery", "DeliveryPolicy", "RedrivePolicy"];

/** SNS confirms a queue of the same account immediately. An HTTP endpoint must confirm the subscription itself. */
export async function subscribe(simulation: Simulation, request: SnsRequest): Promise<Xml> {
  const topic = requireTopic(simulation, requireParameter(request, "TopicArn"));
  const protocol = readProtocol(requireParameter(request, "Protocol"));
  const endpoint = requireParameter(request, "Endpoint");
  requireEndpoint(protocol, endpoint);
  const attributes = readAttributes(request, "Attributes");
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
  if (!subscription.isConfirmed) await requestConfirmation(simulation, subscription, "SubscriptionConfirmation");
  const showArn = subscription.isConfirmed || request.form.get("ReturnSubscriptionArn") === "true";
  return { SubscriptionArn: showArn ? subscription.arn : "pending confirmation" };
}

export function confirmSubscription(simulation: Simulation, request: SnsRequest): Xml {
  const topic = requireTopic(simulation, requireParameter(request, "TopicArn"));
  const token = requireParameter(request, "Token");
  const subscription = [...simulation.subscriptions.values()].find(
    (candidate) => candidate.topicArn === topic.arn && candidate.token === token,
  );
  if (subscription === undefined || !isTokenValid(simulation, subscription)) {
    throw new SnsError("InvalidParameter", "Invalid token");
  }
  const authenticateOnUnsubscribe = request.isSigned && request.form.get("AuthenticateOnUnsubscribe") === "true";
  simulation.subscriptions.set(subscription.arn, { ...subscription, isConfirmed: true, authenticateOnUnsubscribe });
  return { SubscriptionArn: subscription.arn };
}

/** SNS notifies the endpoint and sends a token that restores the subscription, because anyone can follow the link. */
export async function unsubscribe(simulation: Simulation, request: SnsRequest): Promise<Xml> {
  const subscription = simulation.subscriptions.get(requireParameter(request, "SubscriptionArn"));
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
  await requestConfirmation(simulation, removed, "UnsubscribeConfirmation");
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
  const name = requireParameter(request, "AttributeName");
  const value = request.form.get("AttributeValue") ?? "";
  requireAttribute(name, value);
  const attributes = { ...subscription.attributes, [name]: value };
  simulation.subscriptions.set(subscription.arn, { ...subscription, attributes });
  return {};
}

function requireSubscription(simulation: Simulation, request: SnsRequest): Subscription {
  const subscription = simulation.subscriptions.get(requireParameter(request, "SubscriptionArn"));
  if (subscription === undefined) throw new SnsError("NotFound", "Subscription does not exist");
  return subscription;
}

function readProtocol(text: string): Subscription["protocol"] {
  if (text === "http" || text === "https" || text === "sqs") return text;
  throw new SnsError("InvalidParameter", `Invalid parameter: the simulator does not support the protocol ${text}`);
}

function requireEndpoint(protocol: Subscription["protocol"], endpoint: string): void {
  const matchesProtocol =
    protocol === "sqs" ? /^arn:aws:sqs:[^:]+:\d{12}:.+$/.test(endpoint) : endpoint.startsWith(`${protocol}://`);
  if (!matchesProtocol || (protocol !== "sqs" && !URL.canParse(endpoint))) {
    throw new SnsError("InvalidParameter", "Invalid parameter: Endpoint does not match its protocol");
  }
}

function requireAttribute(name: string, value: string): void {
  if (!writable.includes(name)) throw new SnsError("InvalidParameter", `Invalid parameter: AttributeName ${name}`);
  const problem = findProblem(name, value);
  if (problem !== undefined) throw new SnsError("InvalidParameter", `Invalid parameter: ${name}: ${problem}`);
}

function findProblem(name: string, value: string): string | undefined {
  switch (name) {
    case "DeliveryPolicy":
      return findDeliveryPolicyProblem(value);
    case "RedrivePolicy":
      return /"deadLetterTargetArn"\s*:\s*"arn:aws:sqs:/.test(value) || value === ""
        ? undefined
        : "no deadLetterTargetArn";
    default:
      return undefined;
  }
}
