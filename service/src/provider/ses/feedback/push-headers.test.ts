import { expect, test } from "vitest";
import { isPushHead } from "./push-headers.ts";

const topicArn = "arn:aws:sns:eu-central-1:123456789012:postern-AA";
const headers = {
  "content-type": "text/plain; charset=UTF-8",
  "x-amz-sns-message-type": "Notification",
  "x-amz-sns-topic-arn": topicArn,
};

test.for([
  {},
  { "x-amz-sns-message-type": "SubscriptionConfirmation" },
  { "x-amz-sns-message-type": "UnsubscribeConfirmation" },
  { "content-type": "application/json" },
])("SNS can send these headers: %j", (change) => {
  expect(isPushHead({ ...headers, ...change }, [topicArn])).toBe(true);
});

test.for([
  { "x-amz-sns-message-type": undefined },
  { "x-amz-sns-message-type": "Other" },
  { "x-amz-sns-topic-arn": undefined },
  { "x-amz-sns-topic-arn": `${topicArn}x` },
  { "content-type": undefined },
  { "content-type": "application/x-www-form-urlencoded" },
  { "x-amz-sns-rawdelivery": "true" },
])("SNS does not send these headers for our topic: %j", (change) => {
  expect(isPushHead({ ...headers, ...change }, [topicArn])).toBe(false);
});
