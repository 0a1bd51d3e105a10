import { randomUUID } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Simulation } from "../simulation.ts";
import { sendToDeadLetterQueue } from "./dead-letter-queue.ts";
import { newPush, type Push, pushHeaders } from "./push.ts";
import { retrySchedule } from "./retry-schedule.ts";
import type { SignedFields } from "./sign-message.ts";
import type { Subscription } from "./topic.ts";

export function addPush(simulation: Simulation, subscription: Subscription, fields: SignedFields, body: string): void {
  const id = randomUUID();
  simulation.pushes.set(id, newPush(subscription, fields, body, simulation.clock.now()));
  schedule(simulation, id);
}

export function resumePushes(simulation: Simulation): void {
  for (const id of simulation.pushes.keys()) schedule(simulation, id);
}

function schedule(simulation: Simulation, id: string): void {
  const push = simulation.pushes.get(id);
  if (push !== undefined) simulation.clock.runWhenDue(push.dueAt, () => void attempt(simulation, id, push));
}

/** A 2xx delivers the message and a 4xx is final. SNS retries after any other result until the retry schedule ends. */
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
    if (subscription !== undefined) sendToDeadLetterQueue(simulation, subscription, push.body);
    return;
  }
  simulation.pushes.set(id, { ...push, attempt: push.attempt + 1, dueAt: simulation.clock.dueIn(wait) });
  schedule(simulation, id);
}

/** Resolves to the status, or to undefined if SNS cannot reach the endpoint or gets no response in time. */
function post(simulation: Simulation, push: Push, subscription: Subscription | undefined): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const url = new URL(push.endpoint);
  const options = {
    method: "POST",
    headers: pushHeaders(push, subscription),
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

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
