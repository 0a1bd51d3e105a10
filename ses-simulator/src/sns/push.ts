import { randomUUID } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Simulation } from "../simulation.ts";
import { sendToDeadLetters } from "./dead-letters.ts";
import { retrySchedule } from "./retry-schedule.ts";
import type { SignedFields } from "./sign-message.ts";
import { isRaw, type Subscription } from "./topic.ts";

/** One message on its way to one endpoint. It is on disk from the first attempt to the last. */
export interface Push {
  subscriptionArn: string;
  endpoint: string;
  type: SignedFields["Type"];
  messageId: string;
  topicArn: string;
  body: string;
  attempt: number;
  dueAt: number;
}

export function addPush(simulation: Simulation, subscription: Subscription, fields: SignedFields, body: string): void {
  const id = randomUUID();
  simulation.pushes.set(id, {
    subscriptionArn: subscription.arn,
    endpoint: subscription.endpoint,
    type: fields.Type,
    messageId: fields.MessageId,
    topicArn: fields.TopicArn,
    body,
    attempt: 0,
    dueAt: simulation.clock.now(),
  });
  arm(simulation, id);
}

export function resumePushes(simulation: Simulation): void {
  for (const id of simulation.pushes.keys()) arm(simulation, id);
}

function arm(simulation: Simulation, id: string): void {
  const push = simulation.pushes.get(id);
  if (push !== undefined) simulation.clock.whenDue(push.dueAt, () => void attempt(simulation, id, push));
}

/** 2xx is delivered, 4xx is final, everything else is tried again until the schedule ends. */
async function attempt(simulation: Simulation, id: string, push: Push): Promise<void> {
  const subscription = simulation.subscriptions.get(push.subscriptionArn);
  const status = await post(simulation, push, subscription);
  if (simulation.stopping.aborted) return;
  if (status !== undefined && status >= 200 && status < 300) {
    simulation.pushes.delete(id);
    return;
  }
  const topicPolicy = simulation.topics.get(push.topicArn)?.attributes.DeliveryPolicy;
  const wait = retrySchedule(subscription?.attributes.DeliveryPolicy ?? topicPolicy)[push.attempt];
  const isFinal = status !== undefined && status >= 400 && status < 500;
  if (isFinal || wait === undefined) {
    simulation.pushes.delete(id);
    if (subscription !== undefined) sendToDeadLetters(simulation, subscription, push.body);
    return;
  }
  simulation.pushes.set(id, { ...push, attempt: push.attempt + 1, dueAt: simulation.clock.dueIn(wait) });
  arm(simulation, id);
}

/** Resolves to the status, or to undefined when the endpoint could not be reached or did not answer in time. */
function post(simulation: Simulation, push: Push, subscription: Subscription | undefined): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const url = new URL(push.endpoint);
  const options = {
    method: "POST",
    headers: headersOf(push, subscription),
    signal: AbortSignal.any([AbortSignal.timeout(simulation.settings.pushTimeoutSeconds * 1000), simulation.stopping]),
    // A developer's own https endpoint on this machine rarely has a public certificate.
    rejectUnauthorized: !isLoopback(url.hostname),
  };
  const outgoing = url.protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options);
  outgoing.on("response", (response) => {
    response.resume();
    response.on("close", () => resolve(response.complete ? response.statusCode : undefined));
  });
  outgoing.on("error", () => resolve(undefined));
  outgoing.end(push.body);
  return promise;
}

function headersOf(push: Push, subscription: Subscription | undefined): Record<string, string> {
  return {
    "content-type": "text/plain; charset=UTF-8",
    "user-agent": "Amazon Simple Notification Service Agent",
    "x-amz-sns-message-type": push.type,
    "x-amz-sns-message-id": push.messageId,
    "x-amz-sns-topic-arn": push.topicArn,
    ...(push.type !== "SubscriptionConfirmation" && { "x-amz-sns-subscription-arn": push.subscriptionArn }),
    ...(push.type === "Notification" &&
      subscription !== undefined &&
      isRaw(subscription) && { "x-amz-sns-rawdelivery": "true" }),
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
