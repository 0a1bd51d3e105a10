import { randomUUID } from "node:crypto";
import { policyAllows } from "../policy/policy-allows.ts";
import type { Simulation } from "../simulation.ts";
import { sendToDeadLetters } from "./dead-letters.ts";
import { addPush } from "./push.ts";
import { type SignedFields, signMessage } from "./sign-message.ts";
import { isRaw, type Subscription } from "./topic.ts";

export interface SignedMessage {
  fields: SignedFields;
  signatureVersion: string;
  signature: string;
}

/** A message and those who were subscribed when it was published. */
export interface Publication {
  message: SignedMessage;
  to: Subscription[];
}

interface Text {
  message: string;
  subject?: string | undefined;
}

/** Raw delivery shows no signature, so where nobody will see one none is made: it is what costs most. */
export async function preparePublication(simulation: Simulation, topicArn: string, text: Text): Promise<Publication> {
  const to = [...simulation.subscriptions.values()].filter(
    (subscription) => subscription.topicArn === topicArn && subscription.isConfirmed,
  );
  const fields: SignedFields = {
    Type: "Notification",
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: text.message,
    Timestamp: new Date(simulation.clock.now()).toISOString(),
    ...(text.subject !== undefined && { Subject: text.subject }),
  };
  const message = to.every(isRaw) ? { fields, signatureVersion: "", signature: "" } : await sign(simulation, fields);
  return { message, to };
}

export async function sign(simulation: Simulation, fields: SignedFields): Promise<SignedMessage> {
  const signatureVersion = simulation.topics.get(fields.TopicArn)?.attributes.SignatureVersion ?? "1";
  const signature = await signMessage(fields, signatureVersion, simulation.signing.key);
  return { fields, signatureVersion, signature };
}

/** Copies share the MessageId, as SNS's own duplicates do. */
export function fanOut(simulation: Simulation, { message, to }: Publication, copies = 1): void {
  for (const subscription of to) {
    for (let copy = 0; copy < copies; copy++) deliver(simulation, subscription, message);
  }
}

/** The JSON a subscriber sees. The unsubscribe address is the subscription's own and not signed. */
export function envelope(simulation: Simulation, message: SignedMessage, subscriptionArn: string): string {
  const { fields, signatureVersion, signature } = message;
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

function deliver(simulation: Simulation, subscription: Subscription, message: SignedMessage): void {
  const body = isRaw(subscription) ? message.fields.Message : envelope(simulation, message, subscription.arn);
  if (subscription.protocol === "sqs") deliverToQueue(simulation, subscription, body);
  else addPush(simulation, subscription, message.fields, body);
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
