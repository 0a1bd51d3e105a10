import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readQueuedMessage } from "./read-envelope.ts";
import { readEvent } from "./read-event.ts";

const sendId = "019a8f1e-0000-7000-8000-000000000000";
const topicArn = "arn:aws:sns:eu-central-1:123456789012:postern-AA";

const mail = {
  timestamp: "2026-11-15T10:00:00.123Z",
  source: "Shop <orders@shop.test>",
  messageId: "0102019a8f1e-mail-000000",
  destination: ["customer@example.test", "Second <second@example.test>"],
  tags: { send_id: [sendId], attempt: ["3"], "ses:configuration-set": ["postern-AA"] },
};

const aboutIt = {
  providerMessageId: "0102019a8f1e-mail-000000",
  sendId,
  attempt: 3,
  submittedAt: "2026-11-15T10:00:00.123Z",
  feedbackId: undefined,
};

const at = "2026-11-15T10:00:05.000Z";
const bounce = {
  bounceType: "Permanent",
  bounceSubType: "General",
  bouncedRecipients: [{ emailAddress: "Customer@example.test", status: "5.1.1" }],
  timestamp: at,
  feedbackId: "feedback-1",
};
const complaint = {
  complainedRecipients: [{ emailAddress: "customer@example.test" }],
  timestamp: at,
  feedbackId: "feedback-2",
  complaintSubType: null,
};

const anEvent = (eventType: string, part: object) => JSON.stringify({ eventType, mail, ...part });

describe("an event of a configuration set", () => {
  test("Send concerns all recipients and has the time of the mail", () => {
    expect(readEvent(anEvent("Send", { send: {} }))).toEqual({
      kind: "send",
      ...aboutIt,
      at: "2026-11-15T10:00:00.123Z",
      recipients: ["customer@example.test", "second@example.test"],
    });
  });

  test("Delivery names the recipients that received the mail", () => {
    const delivery = {
      timestamp: at,
      recipients: ["customer@example.test"],
      smtpResponse: "250 ok",
      reportingMTA: "a8-1.smtp-out.amazonses.com",
      processingTimeMillis: 1234,
    };
    expect(readEvent(anEvent("Delivery", { delivery }))).toEqual({
      kind: "delivery",
      ...aboutIt,
      at,
      recipients: ["customer@example.test"],
      replies: [{ text: "250 ok" }],
      reportingMta: "a8-1.smtp-out.amazonses.com",
      durationMs: 1234,
    });
  });

  test.for([
    ["Permanent", "General", "Permanent"],
    ["Permanent", "OnAccountSuppressionList", "Permanent"],
    ["Permanent", "SomethingNew", "Permanent"],
    ["Transient", "MailboxFull", "Transient"],
    ["Undetermined", "Undetermined", "Transient"],
    ["SomethingNew", "General", "Transient"],
  ] as const)("a bounce of type %s/%s is %s", ([bounceType, bounceSubType, type]) => {
    expect(readEvent(anEvent("Bounce", { bounce: { ...bounce, bounceType, bounceSubType } }))).toEqual({
      kind: "bounce",
      ...aboutIt,
      at,
      recipients: ["Customer@example.test"],
      replies: [{ status: "5.1.1", text: undefined }],
      reportingMta: undefined,
      feedbackId: "feedback-1",
      bounce: { type, subtype: bounceSubType },
    });
  });

  test.for([
    [undefined, undefined, true],
    ["abuse", "abuse", true],
    ["something-new", "something-new", true],
    ["not-spam", "not-spam", false],
    ["Not-Spam", "Not-Spam", false],
  ] as const)(
    "a complaint of type %s keeps its type and counts as spam unless it is not-spam",
    ([complaintFeedbackType, complaintType, isSpam]) => {
      expect(readEvent(anEvent("Complaint", { complaint: { ...complaint, complaintFeedbackType } }))).toEqual({
        kind: "complaint",
        ...aboutIt,
        at,
        recipients: ["customer@example.test"],
        replies: [{ status: undefined, text: undefined }],
        reportingMta: undefined,
        feedbackId: "feedback-2",
        complaintType,
        isSpam,
      });
    },
  );

  test.for([
    ["Reject", { reject: { reason: "Bad content" } }, "Bad content"],
    ["Reject", {}, ""],
    [
      "Rendering Failure",
      { failure: { templateName: "t", errorMessage: "Attribute x is absent" } },
      "Attribute x is absent",
    ],
  ] as const)("%s %j means that SES does not send the mail", ([type, part, reason]) => {
    expect(readEvent(anEvent(type, part))).toMatchObject({ kind: "reject", ...aboutIt, reason });
  });

  test("DeliveryDelay is a delay and not an outcome", () => {
    const diagnosticCode = "smtp; 421 4.4.1 Unable to connect";
    const deliveryDelay = {
      timestamp: at,
      delayType: "General",
      expirationTime: "2026-11-16T00:00:00.000Z",
      delayedRecipients: [{ emailAddress: "a@b.test", status: "4.4.1", diagnosticCode }],
    };
    expect(readEvent(anEvent("DeliveryDelay", { deliveryDelay }))).toEqual({
      kind: "delay",
      ...aboutIt,
      at,
      recipients: ["a@b.test"],
      replies: [{ status: "4.4.1", text: diagnosticCode }],
      reportingMta: undefined,
      delayType: "General",
      expiresAt: "2026-11-16T00:00:00.000Z",
    });
  });

  test.for(["Open", "Click", "Subscription", "Invented"])("%s is ignored", (type) => {
    expect(readEvent(JSON.stringify({ eventType: type, other: [{}] }))).toEqual({ kind: "ignored", type });
  });

  test("the validation text that SES publishes to a new topic is ignored, although it is not JSON", () => {
    const text = "Successfully validated SNS topic for Amazon SES event publishing.";
    const ignored = { kind: "ignored", type: "topic-validation" };
    expect(readEvent(text)).toEqual(ignored);
    const envelope = { Type: "Notification", TopicArn: topicArn, Message: text };
    expect(readQueuedMessage(JSON.stringify(envelope), [topicArn])).toEqual(ignored);
    expect(readQueuedMessage(text, [topicArn])).toEqual(ignored);
  });
});

describe("the words of the receiving server", () => {
  const replyTo = (diagnosticCode: unknown, status: unknown = "5.1.1") => {
    const bouncedRecipients = [{ emailAddress: "a@b.test", status, diagnosticCode }];
    const read = readEvent(anEvent("Bounce", { bounce: { ...bounce, bouncedRecipients } }));
    return read.kind === "bounce" ? read.replies?.[0] : read;
  };

  test.for([
    ["smtp; 550 5.1.1 user unknown", "smtp; 550 5.1.1 user unknown"],
    ["smtp; 550-first line\r\n550 second line", "smtp; 550-first line 550 second line"],
    ["\u001b[31mred\u001b[0m\u0000", "[31mred [0m"],
    ["to \u202emoc.elpmaxe\u202c", "to moc.elpmaxe"],
    ["   ", undefined],
    ["x".repeat(5_000), "x".repeat(1_000)],
    [42, undefined],
    [undefined, undefined],
  ] as const)("%j is kept as %j", ([given, kept]) => {
    expect(replyTo(given)).toEqual({ status: "5.1.1", text: kept });
  });

  test.for([
    ["5.1.1", "5.1.1"],
    ["5.7.509", "5.7.509"],
    ["550", undefined],
    ["5.1.1; drop", undefined],
    [5, undefined],
  ] as const)("the status %j is kept as %j", ([given, kept]) => {
    expect(replyTo("no", given)).toEqual({ status: kept, text: "no" });
  });

  test("each recipient keeps its own reply, and the first one counts for an address that is named twice", () => {
    const entry = (emailAddress: string, diagnosticCode: string) => ({ emailAddress, diagnosticCode });
    const bouncedRecipients = [entry("a@b.test", "one"), entry("c@d.test", "two"), entry("a@b.test", "three")];
    expect(readEvent(anEvent("Bounce", { bounce: { ...bounce, bouncedRecipients } }))).toMatchObject({
      recipients: ["a@b.test", "c@d.test"],
      replies: [{ text: "one" }, { text: "two" }],
    });
  });
});

describe("a notification of an identity", () => {
  const { tags: _, ...untagged } = mail;

  test.for([
    ["Bounce", { bounce }, "bounce"],
    ["Complaint", { complaint }, "complaint"],
    ["Delivery", { delivery: { timestamp: at, recipients: ["a@b.test"] } }, "delivery"],
  ] as const)("%s is read like an event without tags", ([notificationType, part, kind]) => {
    const read = readEvent(JSON.stringify({ notificationType, mail: untagged, ...part }));
    expect(read).toMatchObject({ kind, sendId: undefined, attempt: undefined, providerMessageId: mail.messageId });
  });

  test("the confirmation of its subscription is ignored", () => {
    const text = `{"notificationType":"AmazonSnsSubscriptionSucceeded","message":"You have successfully subscribed"}`;
    expect(readEvent(text)).toEqual({ kind: "ignored", type: "AmazonSnsSubscriptionSucceeded" });
  });
});

describe("tags", () => {
  test.for([
    [{ send_id: ["not-a-uuid"], attempt: ["1"] }, undefined, 1],
    [{ send_id: [sendId, sendId], attempt: ["1", "2"] }, undefined, undefined],
    [{ send_id: sendId, attempt: 1 }, undefined, undefined],
    [{ send_id: [sendId], attempt: ["0"] }, sendId, undefined],
    [{ send_id: [sendId], attempt: ["-1"] }, sendId, undefined],
    [{ send_id: [sendId], attempt: ["1.5"] }, sendId, undefined],
    [{ send_id: [sendId], attempt: ["9999999999"] }, sendId, undefined],
    [{ send_id: [`${sendId}\n`], attempt: ["01"] }, undefined, undefined],
    [{}, undefined, undefined],
    [null, undefined, undefined],
    [[], undefined, undefined],
  ] as const)("%j are read only in the form that Postern writes", ([tags, wantedId, wantedAttempt]) => {
    const read = readEvent(JSON.stringify({ eventType: "Send", mail: { ...mail, tags }, send: {} }));
    if (Array.isArray(tags)) return expect(read.kind).toBe("unreadable");
    return expect(read).toMatchObject({ kind: "send", sendId: wantedId, attempt: wantedAttempt });
  });
});

describe("events of `postern aws check`", () => {
  const checked = { ...mail, tags: { ...mail.tags, postern_check: ["check-1"] } };
  const event = JSON.stringify({ eventType: "Bounce", mail: checked, bounce });

  test("are ignored by everything but that check", () => {
    expect(readEvent(event)).toEqual({ kind: "ignored", type: "aws-check" });
    expect(readEvent(event, "check-2")).toEqual({ kind: "ignored", type: "aws-check" });
    expect(readEvent(event, "check-1")).toMatchObject({ kind: "bounce", sendId });
  });

  test("are the only ones that the check reads", () => {
    expect(readEvent(anEvent("Bounce", { bounce }), "check-1")).toEqual({ kind: "ignored", type: "aws-check" });
    expect(readQueuedMessage(event, [topicArn], "check-1")).toMatchObject({ kind: "bounce", sendId });
    expect(readQueuedMessage(event, [topicArn])).toEqual({ kind: "ignored", type: "aws-check" });
  });
});

describe("recipients", () => {
  const recipientsOf = (...addresses: unknown[]) => {
    const bouncedRecipients = addresses.map((emailAddress) => ({ emailAddress }));
    const read = readEvent(anEvent("Bounce", { bounce: { ...bounce, bouncedRecipients } }));
    return read.kind === "bounce" ? read.recipients : read;
  };

  test("are bare addresses without duplicates, in the reported case", () => {
    const given = ['"A, B" <A@b.test>', "<c@d.test>", " e@f.test ", "e@f.test", "E@f.test", "x <y> z"];
    expect(recipientsOf(...given)).toEqual(["A@b.test", "c@d.test", "e@f.test", "E@f.test", "x <y> z"]);
  });

  test("contain no character that PostgreSQL refuses to store", () => {
    expect(recipientsOf("a\0b@c.test", "d\ud800@e.test")).toEqual(["a\ufffdb@c.test", "d\ufffd@e.test"]);
  });

  test("may be an empty list", () => {
    expect(recipientsOf()).toEqual([]);
  });

  test.for([[[7]], [[null]], [[""]], [["x".repeat(1_001)]], [Array.from({ length: 1_001 }, () => "a@b.test")]])(
    "that are not addresses make the event unreadable",
    ([addresses]) => {
      expect(recipientsOf(...(addresses ?? []))).toMatchObject({ kind: "unreadable" });
    },
  );
});

describe("a text that is not a valid SES event", () => {
  test.for([
    ["", "not a JSON object"],
    ["[]", "not a JSON object"],
    ["null", "not a JSON object"],
    ["{", "not a JSON object"],
    ["{}", "notificationType is not a line of text"],
    [`{"eventType":7}`, "eventType is not a line of text"],
    [`{"eventType":"Send"}`, "mail is not an object"],
    [`{"eventType":"Send","mail":[]}`, "mail is not an object"],
    [JSON.stringify({ eventType: "Send", mail: { ...mail, messageId: "" } }), "messageId is empty"],
    [JSON.stringify({ eventType: "Send", mail: { ...mail, timestamp: "yesterday" } }), "timestamp is not a time"],
    [
      JSON.stringify({ eventType: "Send", mail: { ...mail, timestamp: "0001-01-01T00:00:00Z" } }),
      "timestamp is not a time",
    ],
    [anEvent("Delivery", {}), "delivery is not an object"],
    [anEvent("Delivery", { delivery: { timestamp: at } }), "recipients is not a list"],
    [anEvent("Bounce", { bounce: { ...bounce, bounceType: undefined } }), "bounceType is not a line of text"],
    [anEvent("Bounce", { bounce: { ...bounce, bouncedRecipients: ["a@b.test"] } }), "entry is not an object"],
    [" ".repeat(1_048_577), "too long"],
    ["[".repeat(500_000), "not a JSON object"],
  ])("%.80s is unreadable: %s", ([text, reason]) => {
    expect(readEvent(text ?? "")).toEqual({ kind: "unreadable", reason });
  });

  test("never makes the parser throw", () => {
    const kinds = new Set(["send", "delivery", "bounce", "complaint", "reject", "delay", "ignored", "unreadable"]);
    const types = fc.constantFrom(
      "Send",
      "Delivery",
      "Bounce",
      "Complaint",
      "Reject",
      "Rendering Failure",
      "DeliveryDelay",
    );
    const shaped = fc.record(
      {
        eventType: types,
        mail: fc.oneof(fc.constant(mail), fc.jsonValue()),
        delivery: fc.jsonValue(),
        bounce: fc.oneof(fc.jsonValue(), fc.record({ bounceType: fc.string(), timestamp: fc.string() })),
        complaint: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      shaped.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(texts, (text) => kinds.has(readEvent(text).kind) && kinds.has(readQueuedMessage(text, []).kind)),
      { numRuns: 2_000 },
    );
  });
});

describe("a message in the queue", () => {
  const Message = anEvent("Send", { send: {} });
  const anEnvelope = (changes: object = {}) =>
    JSON.stringify({ Type: "Notification", TopicArn: topicArn, Message, ...changes });

  test("is read from its envelope", () => {
    expect(readQueuedMessage(anEnvelope(), [topicArn])).toEqual(readEvent(Message));
  });

  test("is read without an envelope if raw delivery is on", () => {
    expect(readQueuedMessage(Message, [topicArn])).toEqual(readEvent(Message));
  });

  test.for([
    [{ TopicArn: `${topicArn}2` }, "from an unknown topic"],
    [{ TopicArn: undefined }, "from an unknown topic"],
    [{ Type: "SubscriptionConfirmation" }, "not a notification"],
    [{ Message: 7 }, "not a notification"],
    [{ Message: "hello" }, "not a JSON object"],
  ] as const)("with %j in its envelope is unreadable", ([changes, reason]) => {
    expect(readQueuedMessage(anEnvelope(changes), [topicArn])).toEqual({ kind: "unreadable", reason });
  });
});
