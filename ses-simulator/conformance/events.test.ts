import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { SetTopicAttributesCommand } from "@aws-sdk/client-sns";
import { SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { type AnyEvent, aFeedbackPath, aMail, aRawMail } from "../test/builders.ts";
import { receiveMessages } from "../test/queue-messages.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function eventsOf(changes: object, count: number, attributes = {}) {
  const path = await aFeedbackPath(running, attributes);
  const { MessageId } = await running.ses.send(
    new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, ...changes })),
  );
  const events = await path.next(count);
  return {
    path,
    messageId: MessageId,
    events,
    of: (type: string): AnyEvent => events.find((event) => event.eventType === type),
  };
}

const to = (...names: string[]) => ({
  Destination: { ToAddresses: names.map((name) => `${name}@simulator.amazonses.com`) },
});

/** Fact sheet, sections 5 and 4 (mailbox simulator). */
describe("the mail object of an event", () => {
  test("the mail object holds source, account, message, destination, headers and the caller's tags", async () => {
    const { of, messageId, path } = await eventsOf(
      {
        Destination: {
          ToAddresses: ["a@example.test"],
          CcAddresses: ["c@example.test"],
          BccAddresses: ["b@example.test"],
        },
        ReplyToAddresses: ["help@shop.test"],
        EmailTags: [
          { Name: "send_id", Value: "0198-a" },
          { Name: "attempt", Value: "1" },
        ],
      },
      2,
    );
    const { mail } = of("Send");
    expect(mail).toMatchObject({
      timestamp,
      source: "Shop <orders@shop.test>",
      sourceArn: "arn:aws:ses:eu-west-1:000000000000:identity/shop.test",
      sendingAccountId: "000000000000",
      messageId,
      destination: ["a@example.test", "c@example.test", "b@example.test"],
      headersTruncated: false,
      commonHeaders: {
        from: ["Shop <orders@shop.test>"],
        replyTo: ["help@shop.test"],
        to: ["a@example.test"],
        cc: ["c@example.test"],
        messageId,
        subject: "Your order",
      },
      tags: {
        send_id: ["0198-a"],
        attempt: ["1"],
        "ses:configuration-set": [path.setName],
        "ses:from-domain": ["shop.test"],
        "ses:source-ip": ["127.0.0.1"],
        "ses:caller-identity": ["ses-simulator"],
      },
    });
    expect(mail.headers).toContainEqual({ name: "Subject", value: "Your order" });
    expect(JSON.stringify(mail.headers)).not.toContain("b@example.test");
    expect(Number.parseInt(messageId?.slice(4, 16) ?? "", 16)).toBe(Date.parse(mail.timestamp));
  });

  test("headersTruncated marks headers that SES truncates at 10 KB", async () => {
    const path = await aFeedbackPath(running);
    const many = Array.from({ length: 20 }, (_, n) => `X-H${n}: ${"v".repeat(900)}\n`).join("");
    const mail = aRawMail(`From: orders@shop.test\n${many}\nHello\n`, { ConfigurationSetName: path.setName });
    await running.ses.send(new SendEmailCommand(mail));
    const [event] = await path.next(2);
    expect(event.mail.headersTruncated).toBe(true);
    expect(JSON.stringify(event.mail.headers).length).toBeLessThan(11_000);
  });
});

describe("the mailbox simulator", () => {
  test("SES delivers to success@", async () => {
    const { events, of } = await eventsOf(to("success"), 2);
    expect(of("Send").send).toEqual({});
    expect(of("Delivery")).toMatchObject({
      mail: { tags: { "ses:outgoing-ip": [expect.any(String)] } },
      delivery: {
        timestamp,
        processingTimeMillis: expect.any(Number),
        recipients: ["success@simulator.amazonses.com"],
        smtpResponse: expect.stringMatching(/^250 /),
        reportingMTA: expect.any(String),
      },
    });
    for (const event of events)
      expect(Object.keys(event)).toEqual(["eventType", "mail", event.eventType.toLowerCase()]);
  });

  test("a mail to bounce@ is a hard bounce with status 5.1.1", async () => {
    const { of } = await eventsOf(to("bounce"), 2);
    expect(of("Bounce").bounce).toMatchObject({
      bounceType: "Permanent",
      bounceSubType: "General",
      timestamp,
      feedbackId: expect.any(String),
      reportingMTA: expect.any(String),
      bouncedRecipients: [
        {
          emailAddress: "bounce@simulator.amazonses.com",
          action: "failed",
          status: "5.1.1",
          diagnosticCode: expect.stringContaining("550 5.1.1"),
        },
      ],
    });
  });

  test("SES delivers to complaint@ and then reports a complaint", async () => {
    const { of } = await eventsOf(to("complaint"), 3);
    expect(of("Delivery")).toBeDefined();
    expect(of("Complaint").complaint).toMatchObject({
      complainedRecipients: [{ emailAddress: "complaint@simulator.amazonses.com" }],
      timestamp,
      feedbackId: expect.any(String),
      complaintSubType: null,
      complaintFeedbackType: "abuse",
      userAgent: expect.any(String),
      arrivalDate: timestamp,
    });
  });

  test("SES delivers to ooto@ and then reports a transient bounce", async () => {
    const { of } = await eventsOf(to("ooto"), 3);
    expect(of("Delivery")).toBeDefined();
    expect(of("Bounce").bounce).toMatchObject({ bounceType: "Transient", bounceSubType: "General" });
  });

  test("a mail to suppressionlist@ bounces as Suppressed", async () => {
    const { of } = await eventsOf(to("suppressionlist"), 2);
    expect(of("Bounce").bounce).toMatchObject({ bounceType: "Permanent", bounceSubType: "Suppressed" });
  });

  test("the mailbox simulator accepts labels, and SES combines the bounces of one request into one event", async () => {
    const { of } = await eventsOf(to("bounce+one", "bounce+two"), 2);
    const bounced = of("Bounce").bounce.bouncedRecipients.map((recipient: AnyEvent) => recipient.emailAddress);
    expect(bounced).toEqual(["bounce+one@simulator.amazonses.com", "bounce+two@simulator.amazonses.com"]);
  });
});

describe("other outcomes", () => {
  test("SES accepts an EICAR attachment and then rejects the mail", async () => {
    const eicar = "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";
    const Attachments = [{ FileName: "virus.txt", RawContent: Buffer.from(eicar) }];
    const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "t" } }, Attachments };
    const { events, of } = await eventsOf({ Content: { Simple } }, 2);
    expect(of("Reject").reject).toEqual({ reason: "Bad content" });
    expect(new Set(events.map((event) => event.eventType))).toEqual(new Set(["Send", "Reject"]));
  });

  test("a DeliveryDelay event holds the delay type and the expiration time and no headers", async () => {
    await running.control("POST", "rules", { times: 1, outcome: { kind: "delay", delayType: "MailboxFull" } });
    const { of } = await eventsOf({}, 3);
    expect(of("DeliveryDelay").deliveryDelay).toMatchObject({
      timestamp,
      delayType: "MailboxFull",
      expirationTime: timestamp,
      delayedRecipients: [
        { emailAddress: "customer@example.test", status: "4.4.1", diagnosticCode: expect.any(String) },
      ],
    });
    expect(of("DeliveryDelay").mail.headers).toBeUndefined();
    expect(of("Delivery")).toBeDefined();
  });

  test("a complaint names exactly those recipients at the complainer's domain who got the mail", async () => {
    const complainer = { match: { recipient: "angry@isp.test" }, outcome: { kind: "complain", feedbackType: "abuse" } };
    const bouncing = { match: { recipient: "gone@isp.test" }, outcome: { kind: "bounce" } };
    for (const rule of [complainer, bouncing]) await running.control("POST", "rules", { times: 1, ...rule });
    const ToAddresses = ["angry@isp.test", "innocent@isp.test", "gone@isp.test", "other@else.test"];
    const { of } = await eventsOf({ Destination: { ToAddresses } }, 5);
    expect(of("Complaint").complaint.complainedRecipients).toEqual([
      { emailAddress: "angry@isp.test" },
      { emailAddress: "innocent@isp.test" },
    ]);
  });

  const bounces = [
    ["Permanent", "NoEmail"],
    ["Transient", "MailboxFull"],
    ["Transient", "MessageTooLarge"],
    ["Transient", "ContentRejected"],
    ["Transient", "AttachmentRejected"],
    ["Undetermined", "Undetermined"],
  ] as const;

  test.each(bounces)("a rule produces a %s/%s bounce", async (bounceType, bounceSubType) => {
    await running.control("POST", "rules", { times: 1, outcome: { kind: "bounce", bounceType, bounceSubType } });
    const { of } = await eventsOf({ Destination: { ToAddresses: [`${bounceSubType}@example.test`] } }, 2);
    expect(of("Bounce").bounce).toMatchObject({ bounceType, bounceSubType });
  });
});

describe("event destinations", () => {
  test("SES publishes no events of a mail without a configuration set", async () => {
    const { path } = await eventsOf(to("success"), 2);
    await running.ses.send(new SendEmailCommand(aMail()));
    expect((await running.control("GET", "health")).body.pendingEvents).toBe(0);
    expect(await path.next(0)).toEqual([]);
  });

  test("a subscription with raw delivery receives events without the SNS envelope", async () => {
    const { of } = await eventsOf(to("success"), 2, { RawMessageDelivery: "true" });
    expect(of("Send").eventType).toBe("Send");
  });
});

describe("a key that AWS manages for the service", () => {
  const mailOf = (ConfigurationSetName: string) =>
    running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName })));

  test.for(["topic", "queue"])("no event passes a %s that is encrypted with it", async (locked) => {
    const [path, other] = [await aFeedbackPath(running), await aFeedbackPath(running)];
    const QueueUrl = path.queue.url;
    if (locked === "topic") {
      const attribute = { AttributeName: "KmsMasterKeyId", AttributeValue: "alias/aws/sns" };
      await running.sns.send(new SetTopicAttributesCommand({ TopicArn: path.topicArn, ...attribute }));
    } else {
      await running.sqs.send(
        new SetQueueAttributesCommand({ QueueUrl, Attributes: { KmsMasterKeyId: "alias/aws/sqs" } }),
      );
    }
    await mailOf(path.setName);
    // Its events come later than those of the first mail would.
    await mailOf(other.setName);
    expect(await other.next(2)).toHaveLength(2);
    expect(await receiveMessages(running, QueueUrl)).toBeUndefined();
  });
});
