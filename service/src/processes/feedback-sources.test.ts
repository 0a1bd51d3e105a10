import { expect, test } from "vitest";
import { aConfig } from "../../test/test-config.ts";
import { openFeedbackPush } from "./feedback-sources.ts";

const topic = { AWS_FEEDBACK_TOPIC_ARN: "arn:aws:sns:eu-central-1:000000000000:postern-AA" };
const queue = { AWS_FEEDBACK_QUEUE_URL: "http://127.0.0.1:4579/000000000000/postern-AA" };

test.for([
  [false, {}, "without a topic"],
  [false, { FEEDBACK_PUSH: "on" }, "without a topic, whatever the setting says"],
  [true, { ...topic }, "with a topic and without a queue, because no other source exists"],
  [false, { ...topic, ...queue }, "with a queue, unless the operator turns it on"],
  [true, { ...topic, ...queue, FEEDBACK_PUSH: "on" }, "with a queue, when the operator turned it on"],
  [false, { ...topic, FEEDBACK_PUSH: "off" }, "when the operator turned it off"],
] as const)("the endpoint for SNS is open (%s) %o: %s", ([isOpen, settings]) => {
  expect(openFeedbackPush(aConfig(settings)) !== undefined).toBe(isOpen);
});
