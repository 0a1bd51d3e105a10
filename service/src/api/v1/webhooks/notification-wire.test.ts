import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { renderEnvelope } from "../../../webhooks/envelope.ts";
import { exampleData } from "../../../webhooks/example-data.ts";
import type { NotificationRow } from "../../../webhooks/notification-rows.ts";
import { type NotificationType, notificationTypes } from "../../../webhooks/notification-types.ts";
import { exampleNotification, notificationSchemas } from "./notification-wire.ts";

test.for(notificationTypes)("the example of %s has exactly the fields of its schema", (type) => {
  const example = exampleNotification(type);
  expect(notificationSchemas[type].parse(example)).toEqual(example);
});

test.for(notificationTypes)(
  "what is sent for %s has exactly the published fields, and those of the example",
  (type) => {
    const sent = JSON.parse(renderEnvelope(aRow(type)));
    expect(notificationSchemas[type].parse(sent)).toEqual(sent);
    expect(Object.keys(sent.data).toSorted()).toEqual(Object.keys(exampleData[type]).toSorted());
  },
);

/** PostgreSQL writes times in JSON in this form. */
const timeInJson = "2026-11-15T09:30:04.123456+00:00";

const factsOf: Partial<Record<NotificationType, Record<string, unknown>>> = {
  "send.failed": { code: "PROVIDER_REJECTED", message: "SES refused the mail." },
  "send.delayed": {
    recipient: "jane@example.com",
    type: "MailboxFull",
    status: null,
    diagnostic: null,
    expires_at: timeInJson,
  },
  "domain.verified": { id: 1, name: "mail.acme.io" },
  "domain.failed": { id: 1, name: "mail.acme.io" },
  "suppression.added": { email: "jane@example.com", reason: "hard_bounce", since: timeInJson, send_id: null },
  "suppression.removed": { email: "jane@example.com", reason: "complaint", since: timeInJson, send_id: randomUUIDv7() },
  "account.held": { held_by: "operator" },
  "account.released": { held_by: "guard", reason: "too many bounces" },
};

function aRow(type: NotificationType): NotificationRow {
  const isOfSend = type.startsWith("send.");
  const send = {
    id: randomUUIDv7(),
    from: "hello@acme.io",
    subject: "Hello",
    idempotency_key: "order-1",
    provider_message_id: null,
    queued_at: timeInJson,
  };
  return {
    id: randomUUIDv7(),
    publicId: randomUUIDv7(),
    accountId: randomUUIDv7(),
    mode: "live",
    type,
    occurredAt: "2026-11-15T09:30:04.123Z",
    isRebuilt: false,
    sequence: isOfSend ? 1 : null,
    sendStatus: isOfSend ? "sent" : null,
    facts: factsOf[type] ?? null,
    send: isOfSend ? send : null,
    event: isOfSend && factsOf[type] === undefined && type !== "send.sent" ? anEvent(type) : null,
  };
}

function anEvent(type: NotificationType): NotificationRow["event"] {
  const isBounce = type === "send.bounced";
  const isSuppression = type === "send.suppressed";
  return {
    recipient: "jane@example.com",
    bounceType: isBounce ? "Transient" : null,
    bounceSubtype: isBounce ? "General" : null,
    complaintType: null,
    suppressionReason: isSuppression ? "complaint" : null,
    suppressedAt: isSuppression ? timeInJson : null,
    replyStatus: null,
    reply: null,
    durationMs: null,
    isSuppressed: isSuppression,
    causingSendId: null,
  };
}
