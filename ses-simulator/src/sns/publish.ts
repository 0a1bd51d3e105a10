import { randomUUID } from "node:crypto";
import { policyAllows } from "../policy/policy-allows.ts";
import type { Simulation } from "../simulation.ts";
import { sendToDeadLetters } from "./dead-letters.ts";
import { addPush } from "./push.ts";
import { type SignedFields, signMessage } from "./sign-message.ts";
import { isRaw, type Subscription } from "./topic.ts";

export interface Notification {
  fields: SignedFields;
  signatureVersion: string;
  signature: string;
}

interface Publication {
  message: string;
  subject?: string | undefined;
}

export async function signNotification(
  simulation: Simulation,
  topicArn: string,
  publication: Publication,
): Promise<Notification> {
  const fields: SignedFields = {
    Type: "Notification",
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: publication.message,
    Timestamp: new Date(simulation.clock.now()).toISOString(),
    ...(publication.subject !== undefined && { Subject: publication.subject }),
  };
  return signFields(simulation, fields);
}

export async function signFields(simulation: Simulation, fields: SignedFields): Promise<Notification> {
  const signatureVersion = simulation.topics.get(fields.TopicArn)?.attributes.SignatureVersion ?? "1";
  const signature = await signMessage(fields, signatureVersion, simulation.signing.key);
  return { fields, signatureVersion, signature };
}

/** Hands a notification to every confirmed subscription. Copies share the MessageId, as SNS's own duplicates do. */
export function fanOut(simulation: Simulation, notification: Notification, copies = 1): void {
  for (const subscription of simulation.subscriptions.values()) {
    if (subscription.topicArn !== notification.fields.TopicArn || !subscription.isConfirmed) continue;
    for (let copy = 0; copy < copies; copy++) deliver(simulation, subscription, notification);
  }
}

/** The JSON a subscriber sees. The unsubscribe address is the subscription's own and not signed. */
export function envelope(simulation: Simulation, notification: Notification, subscriptionArn: string): string {
  const { fields, signatureVersion, signature } = notification;
  const certificateHost = simulation.settings.certificateUrl ?? simulation.publicUrl;
  return JSON.stringify({
    ...fields,
    SignatureVersion: signatureVersion,
    Signature: signature,
    SigningCertURL: `${certificateHost}${simulation.signing.path}`,
    ...(fields.Type === "Notification" && {
      UnsubscribeURL: `${simulation.publicUrl}/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`,
    }),
  });
}

function deliver(simulation: Simulation, subscription: Subscription, notification: Notification): void {
  const body = isRaw(subscription) ? notification.fields.Message : envelope(simulation, notification, subscription.arn);
  if (subscription.protocol === "sqs") deliverToQueue(simulation, subscription, body);
  else addPush(simulation, subscription, notification.fields, body);
}

/** A queue that is gone or does not let SNS in is the customer's error: no retry, only the dead-letter queue. */
function deliverToQueue(simulation: Simulation, subscription: Subscription, body: string): void {
  const queue = simulation.queues.findByArn(subscription.endpoint);
  const allowed = policyAllows(queue?.attributes.Policy, {
    service: "sns.amazonaws.com",
    action: "sqs:SendMessage",
    sourceArn: subscription.topicArn,
    sourceAccount: simulation.settings.accountId,
  });
  if (queue === undefined || !allowed) sendToDeadLetters(simulation, subscription, body);
  else simulation.queues.add(queue.name, body);
}
