import {
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { beforeAll, describe, expect, test } from "vitest";
import { anEndpoint } from "../../../../test/an-endpoint.ts";
import { aFeedbackPush, origin, region, topicArn } from "../../../../test/feedback-push-fixture.ts";
import { anSnsSigner, type SnsFields, type SnsSigner, signed, snsFields } from "../../../../test/sns-signer.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { ProviderError } from "../../email-provider.ts";
import { createTopic, signWithSha256, topicCalls } from "../setup/topic-calls.ts";
import { createFeedbackPush } from "./feedback-push.ts";

const kinds = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];

let sns: SnsSigner;
beforeAll(async () => {
  sns = await anSnsSigner();
});

const aMessage = (type = "Notification", changes: SnsFields = {}) =>
  signed(sns, origin, snsFields(type, topicArn, changes));

describe("with real pushes and a real certificate of the simulator", () => {
  const simulator = useSesSimulator();

  test("it confirms the subscription by an API call, reads notifications, and reports the end of the subscription", async () => {
    const { url, region: home } = simulator;
    const client = new SNSClient({ endpoint: url, region: home });
    const topics = topicCalls(home, url);
    const TopicArn = await createTopic(topics, "postern-AA");
    await signWithSha256(topics, TopicArn);
    const push = createFeedbackPush({ region: home, endpoint: url, topicArns: [TopicArn], certificateOrigin: url });
    const pushed: string[] = [];
    const endpoint = await anEndpoint((body) => {
      pushed.push(body);
      return { status: 200, body: "" };
    });
    const next = async () => {
      await expect.poll(() => pushed.length).toBeGreaterThan(0);
      return push.read(pushed.shift() ?? "");
    };

    await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: endpoint.url }));
    const confirmation = await next();
    expect(confirmation).toEqual({
      kind: "confirmation",
      topicArn: TopicArn,
      token: expect.stringMatching(/^\w{128}$/),
    });
    if (confirmation.kind !== "confirmation") throw new Error("the assertion above fails first");
    await push.confirm(confirmation);
    const { Subscriptions: [subscription] = [] } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    expect(subscription?.SubscriptionArn).toMatch(/^arn:/);

    for (const Subject of [undefined, "Amazon SES Email Event Notification"]) {
      await client.send(new PublishCommand({ TopicArn, Message: `{"eventType":"Open","ü":"\\n"}`, Subject }));
      const feedback = { kind: "ignored", type: "Open" };
      expect(await next()).toEqual({ kind: "notification", messageId: expect.any(String), feedback });
    }

    // The confirmation requires authenticated unsubscription, so the link in a message cannot end the subscription.
    const link = `${url}/?Action=Unsubscribe&SubscriptionArn=${subscription?.SubscriptionArn}`;
    expect((await fetch(link)).status).toBe(403);
    await client.send(new UnsubscribeCommand({ SubscriptionArn: subscription?.SubscriptionArn }));
    expect(await next()).toEqual({ kind: "unsubscribed", topicArn: TopicArn });
  });

  test("confirming with a token that SNS does not know throws a ProviderError", async () => {
    const { url, region: home } = simulator;
    const TopicArn = await createTopic(topicCalls(home, url), "postern-BB");
    const push = createFeedbackPush({ region: home, endpoint: url, topicArns: [TopicArn], certificateOrigin: url });
    const failure = await push.confirm({ topicArn: TopicArn, token: "x" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ kind: "invalid" });
  });
});

describe("it reads a message that SNS signed", () => {
  test.for(kinds)("of type %s", async (type) => {
    expect((await aFeedbackPush([sns]).read(aMessage(type))).kind).toMatch(
      /^(notification|confirmation|unsubscribed)$/,
    );
  });

  test("with a subject, with line breaks in the text, and with members that SNS adds", async () => {
    const message = {
      ...aMessage("Notification", { Subject: "s", Message: "a\nMessageId\nb" }),
      MessageAttributes: {},
    };
    expect(await aFeedbackPush([sns]).read(message)).toMatchObject({ kind: "notification" });
  });

  test("if its timestamp is at most an hour from the given clock", async () => {
    const at = Date.parse("2027-01-01T00:00:00.000Z");
    const message = aMessage("Notification", { Timestamp: new Date(at).toISOString() });
    for (const [seconds, kind] of [
      [-3601, "refused"],
      [-3600, "notification"],
      [3600, "notification"],
      [3601, "refused"],
    ] as const) {
      expect(await aFeedbackPush([sns], { now: () => at + seconds * 1000 }).read(message)).toMatchObject({ kind });
    }
  });
});

describe("it refuses a message", () => {
  const unsigned = snsFields("Notification", topicArn);
  const cases: [string, () => object, string][] = [
    ["of raw delivery, which has no signature", () => ({ eventType: "Bounce" }), "not an SNS message"],
    ["of an unknown type", () => signed(sns, origin, { ...unsigned, Type: "notification" }), "not an SNS message"],
    ["without a signature", () => ({ ...aMessage(), Signature: undefined }), "not an SNS message"],
    ["with a subject that is not a string", () => ({ ...aMessage(), Subject: null }), "not an SNS message"],
    ["with two lines in its subject", () => aMessage("Notification", { Subject: "a\nb" }), "not an SNS message"],
    ["of an unknown topic", () => aMessage("Notification", { TopicArn: `${topicArn}2` }), "unknown topic"],
    ["signed with SHA-1", () => signed(sns, origin, unsigned, "1"), "signature version is not 2"],
    [
      "signed with SHA-1 that states version 2",
      () => ({ ...signed(sns, origin, unsigned, "1"), SignatureVersion: "2" }),
      "signature does not match",
    ],
    [
      "signed with SHA-256 that states version 1",
      () => ({ ...aMessage(), SignatureVersion: "1" }),
      "signature version is not 2",
    ],
    ["with a version that is a number", () => ({ ...aMessage(), SignatureVersion: 2 }), "not an SNS message"],
    [
      "of last year",
      () => aMessage("Notification", { Timestamp: "2025-11-15T00:00:00.000Z" }),
      "timestamp is more than an hour off",
    ],
    ["with an invalid timestamp", () => aMessage("Notification", { Timestamp: "now" }), "not an SNS message"],
    ["whose text was changed", () => ({ ...aMessage(), Message: "x" }), "signature does not match"],
    [
      "with a subject that the signature does not cover",
      () => ({ ...aMessage(), Subject: "x" }),
      "signature does not match",
    ],
    [
      "whose token was changed",
      () => ({ ...aMessage("UnsubscribeConfirmation"), Token: "x" }),
      "signature does not match",
    ],
    [
      "whose signature has another base64 spelling",
      () => ({ ...aMessage(), Signature: ` ${aMessage().Signature}` }),
      "signature does not match",
    ],
  ];
  test.for(cases)("%s", async ([, make, reason]) => {
    expect(await aFeedbackPush([sns]).read(make())).toEqual({ kind: "refused", reason });
  });

  test.for(["", "{", "[]", "7", `"${"x".repeat(1_048_576)}"`])("that is not a JSON object: %.20s", async (text) => {
    const push = createFeedbackPush({
      region,
      endpoint: undefined,
      topicArns: [topicArn],
      fetch: () => Promise.reject(new Error("fetched")),
    });
    expect(await push.read(text)).toEqual({ kind: "refused", reason: "not an SNS message" });
  });

  test("with the end of one field moved into the next, although the signed text is the same", async () => {
    const genuine = aMessage("Notification", { Message: `{"eventType":"Open"}\nMessageId\nx` });
    const moved = { ...genuine, Message: `{"eventType":"Open"}`, MessageId: `x\nMessageId\n${genuine.MessageId}` };
    expect(await aFeedbackPush([sns]).read(genuine)).toMatchObject({ kind: "notification" });
    expect(await aFeedbackPush([sns]).read(moved)).toEqual({ kind: "refused", reason: "not an SNS message" });
  });

  test("signed with another key under the address of the SNS certificate", async () => {
    const attacker = await anSnsSigner();
    const message = signed({ ...attacker, path: sns.path }, origin, unsigned);
    expect(await aFeedbackPush([sns]).read(message)).toEqual({ kind: "refused", reason: "signature does not match" });
  });

  test.for([
    ["has expired", "1996-01-01T00:00:00Z"],
    ["is not valid yet", "2040-01-01T00:00:00Z"],
  ])("whose certificate %s", async ([, from]) => {
    const signer = await anSnsSigner({ validFrom: new Date(from ?? "") });
    const message = signed(signer, origin, unsigned);
    expect(await aFeedbackPush([signer]).read(message)).toEqual({
      kind: "refused",
      reason: "certificate is not valid at this time",
    });
  });
});
