import { randomBytes, randomUUID } from "node:crypto";
import type { Simulation } from "../simulation.ts";
import { addPush } from "./deliver-push.ts";
import { envelope, sign } from "./publish.ts";
import type { SignedFields } from "./sign-message.ts";
import type { Subscription } from "./topic.ts";

const tokenLifetimeMs = 2 * 24 * 60 * 60 * 1000;

/** Both message types carry a token that activates the subscription: for the first time, or again. */
export async function requestConfirmation(
  simulation: Simulation,
  subscription: Subscription,
  type: "SubscriptionConfirmation" | "UnsubscribeConfirmation",
): Promise<void> {
  const { topicArn, token } = subscription;
  const verb = type === "SubscriptionConfirmation" ? "chosen to subscribe to" : "been removed from";
  const fields: SignedFields = {
    Type: type,
    MessageId: randomUUID(),
    Token: token,
    TopicArn: topicArn,
    Message: `You have ${verb} the topic ${topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
    SubscribeURL: `${simulation.publicUrl}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`,
    Timestamp: new Date(simulation.clock.now()).toISOString(),
  };
  const message = await sign(simulation, fields);
  addPush(simulation, subscription, fields, envelope(simulation, message, subscription.arn));
}

export function newToken(simulation: Simulation): Pick<Subscription, "token" | "tokenIssuedAt"> {
  return { token: randomBytes(64).toString("hex"), tokenIssuedAt: simulation.clock.now() };
}

export function isTokenValid(simulation: Simulation, { tokenIssuedAt }: Subscription): boolean {
  return simulation.clock.now() - tokenIssuedAt <= tokenLifetimeMs / simulation.clock.speed;
}
