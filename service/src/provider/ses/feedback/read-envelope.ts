import type { FeedbackReading } from "../../feedback.ts";
import { BrokenEvent, type Json, parseObject } from "./event-json.ts";
import { maxBodyCharacters, readEvent } from "./read-event.ts";

/**
 * What stands in the queue: an SNS notification, or the bare event where raw delivery is on. There is no signature to
 * check: the queue's policy lets only our topic write, and the topic is compared because somebody may have widened that.
 */
export function readQueuedMessage(body: string, topicArns: readonly string[]): FeedbackReading {
  if (body.length > maxBodyCharacters) return { kind: "unreadable", reason: "it is too long" };
  const envelope = findEnvelope(body);
  if (envelope === undefined) return readEvent(body);
  const { Type, TopicArn, Message } = envelope;
  if (typeof TopicArn !== "string" || !topicArns.includes(TopicArn)) {
    return { kind: "unreadable", reason: "it comes from a topic that is not ours" };
  }
  if (Type !== "Notification" || typeof Message !== "string") {
    return { kind: "unreadable", reason: "it is no notification" };
  }
  return readEvent(Message);
}

function findEnvelope(body: string): Json | undefined {
  try {
    const content = parseObject(body);
    return "TopicArn" in content || "Type" in content ? content : undefined;
  } catch (error) {
    if (error instanceof BrokenEvent) return undefined;
    throw error;
  }
}
