import type { FeedbackReading } from "../../feedback.ts";
import { InvalidEvent, type Json, parseObject } from "./event-json.ts";
import { maxBodyCharacters, readEvent } from "./read-event.ts";

/**
 * Reads a queue message: an SNS notification, or the bare event if raw delivery is on. It has no signature to check:
 * the queue policy allows only our topic to write. The topic check protects against a queue policy that is too
 * permissive.
 */
export function readQueuedMessage(body: string, topicArns: readonly string[], checkId?: string): FeedbackReading {
  if (body.length > maxBodyCharacters) return { kind: "unreadable", reason: "too long" };
  const envelope = findEnvelope(body);
  if (envelope === undefined) return readEvent(body, checkId);
  const { Type, TopicArn, Message } = envelope;
  if (typeof TopicArn !== "string" || !topicArns.includes(TopicArn)) {
    return { kind: "unreadable", reason: "from an unknown topic" };
  }
  if (Type !== "Notification" || typeof Message !== "string") {
    return { kind: "unreadable", reason: "not a notification" };
  }
  return readEvent(Message, checkId);
}

function findEnvelope(body: string): Json | undefined {
  try {
    const content = parseObject(body);
    return "TopicArn" in content || "Type" in content ? content : undefined;
  } catch (error) {
    if (error instanceof InvalidEvent) return undefined;
    throw error;
  }
}
