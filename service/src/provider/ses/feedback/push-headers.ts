import type { IncomingHttpHeaders } from "node:http";

const messageTypes: unknown[] = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];

/**
 * Whether SNS can have sent a request with these headers. It refuses most foreign requests before their body is read, and proves
 * nothing: anyone can write headers, so the signature of the body decides. A raw message has no signature.
 */
export function isPushHead(headers: IncomingHttpHeaders, topicArns: readonly string[]): boolean {
  const topicArn = headers["x-amz-sns-topic-arn"];
  return (
    messageTypes.includes(headers["x-amz-sns-message-type"]) &&
    typeof topicArn === "string" &&
    topicArns.includes(topicArn) &&
    headers["x-amz-sns-rawdelivery"] !== "true" &&
    // A subscription can replace SNS's usual text/plain.
    /^(text\/plain|application\/json) *(;|$)/i.test(headers["content-type"] ?? "")
  );
}
