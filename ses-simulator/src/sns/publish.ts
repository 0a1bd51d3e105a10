import { randomUUID } from "node:crypto";
import { policyAllows } from "../policy/policy-allows.ts";
import type { Simulation } from "../simulation.ts";
import { sendToDeadLetterQueue } from "./dead-letter-queue.ts";
import { addPush } from "./deliver-push.ts";
import { type SignedFields, signMessage } from "./sign-message.ts";
import { isRaw, type Subscription } from "./topic.ts";

export interface SignedMessage {
  fields: SignedFields;
  signatureVersion: string;
  signature: string;
}

/** A message and its subscriptions at the time of publication. */
export interface Publication {
  message: SignedMessage;
  subscriptions: Subscription[];
}

interface PublishInput {
  message: string;
  subject?: string | undefined;
}

/** Signing is the most expensive step. Raw delivery has no signature, so only another subscription makes SNS sign. */
export async function preparePublication(
  simulation: Simulation,
  topicArn: string,
  input: PublishInput,
): Promise<Publication> {
  const subscriptions = [...simulation.subscriptions.values()].filter(
    (subscription) => subscription.topicArn === topicArn && subscription.isConfirmed,
  );
  const fields: SignedFields = {
    Type: "Notification",
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: input.message,
    Timestamp: new Date(simulation.clock.now()).toISOString(),
    ...(input.subject !== undefined && { Subject: input.subject }),
  };
  const message = subscriptions.every(isRaw)
    ? { fields, signatureVersion: "", signature: "" }
    : await sign(simulation, fields);
  return { message, subscriptions };
}

export async function sign(simulation: Simulation, fields: SignedFields): Promise<SignedMessage> {
  const signatureVersion = simulation.topics.get(fields.TopicArn)?.attributes.SignatureVersion ?? "1";
  const signature = await signMessage(fields, signatureVersion, simulation.signing.key);
  return { fields, signatureVersion, signature };
}

/** All copies have the same MessageId, like the duplicates that SNS sends. */
export function fanOut(simulation: Simulation, { message, subscriptions }: Publication, copies = 1): void {
  for (const subscription of subscriptions) {
    for (let copy = 0; copy < copies; copy++) deliver(simulation, subscription, message);
  }
}

/** The JSON that a subscriber receives. The UnsubscribeURL differs per subscription and is not signed. */
export function envelope(simulation: Simulation, message: SignedMessage, subscriptionArn: string): string {
  const { fields, signatureVersion, signature } = message;
  const certificateBase = simulation.settings.certificateUrl ?? simulation.publicUrl;
  return JSON.stringify({
    ...fields,
    SignatureVersion: signatureVersion,
    Signature: signature,
    SigningCertURL: `${certificateBase}${simulation.signing.path}`,
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

/** A missing queue, or a policy that does not allow SNS, is a client error: SNS uses the dead-letter queue and does not retry. */
function deliverToQueue(simulation: Simulation, subscription: Subscription, body: string): void {
  const queue = simulation.queues.findByArn(subscription.endpoint);
  const allowed = policyAllows(queue?.attributes.Policy, {
    service: "sns.amazonaws.com",
    action: "sqs:SendMessage",
    sourceArn: subscription.topicArn,
    sourceAccount: simulation.settings.accountId,
  });
  // SNS may not use the key that AWS manages for queues.
  const isLocked = queue?.attributes.KmsMasterKeyId?.endsWith("alias/aws/sqs") === true;
  if (queue === undefined || !allowed || isLocked) sendToDeadLetterQueue(simulation, subscription, body);
  else simulation.queues.add(queue.name, body);
}
