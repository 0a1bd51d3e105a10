import type { SignedFields } from "./sign-message.ts";
import { isRaw, type Subscription } from "./topic.ts";

/** One message for one endpoint. It is on disk from before the first attempt until the last attempt ends. */
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

export function newPush(subscription: Subscription, fields: SignedFields, body: string, now: number): Push {
  return {
    subscriptionArn: subscription.arn,
    endpoint: subscription.endpoint,
    type: fields.Type,
    messageId: fields.MessageId,
    topicArn: fields.TopicArn,
    body,
    attempt: 0,
    dueAt: now,
  };
}

export function pushHeaders(push: Push, subscription: Subscription | undefined): Record<string, string> {
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
