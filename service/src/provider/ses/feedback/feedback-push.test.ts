import { generateKeyPairSync } from "node:crypto";
import {
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { beforeAll, describe, expect, test } from "vitest";
import { anEndpoint } from "../../../../test/an-endpoint.ts";
import {
  anSnsSigner,
  type SnsFields,
  type SnsSigner,
  signed,
  signerOf,
  snsFields,
} from "../../../../test/sns-signer.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { ProviderError } from "../../email-provider.ts";
import { createTopic, signWithSha256, topicCalls } from "../setup/topic-calls.ts";
import { createFeedbackPush, type FeedbackPushOptions } from "./feedback-push.ts";

const region = "eu-west-1";
const topicArn = `arn:aws:sns:${region}:123456789012:postern-AA`;
const origin = `https://sns.${region}.amazonaws.com`;
const kinds = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];

let sns: SnsSigner;
beforeAll(async () => {
  sns = await anSnsSigner();
});

/** A door whose certificates come from `signers`, and that counts what it fetches. */
function aPush(signers: SnsSigner[], changes: Partial<FeedbackPushOptions> = {}) {
  const fetched: string[] = [];
  const push = createFeedbackPush({
    region,
    endpoint: undefined,
    topicArns: [topicArn],
    fetch: async (url) => {
      fetched.push(url);
      const signer = signers.find(({ path }) => url === `${origin}${path}`);
      if (signer === undefined) throw new Error("the answer is 404");
      return signer.certificate;
    },
    ...changes,
  });
  return { fetched, read: (fields: object) => push.read(JSON.stringify(fields)) };
}

const aMessage = (type = "Notification", changes: SnsFields = {}) =>
  signed(sns, origin, snsFields(type, topicArn, changes));

describe("against the simulator, with real pushes and a real certificate", () => {
  const simulator = useSesSimulator();

  test("confirms by a call, reads notifications, and learns of the end", async () => {
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
    if (confirmation.kind !== "confirmation") throw new Error("see above");
    await push.confirm(confirmation);
    const { Subscriptions: [subscription] = [] } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    expect(subscription?.SubscriptionArn).toMatch(/^arn:/);

    for (const Subject of [undefined, "Amazon SES Email Event Notification"]) {
      await client.send(new PublishCommand({ TopicArn, Message: `{"eventType":"Open","ü":"\\n"}`, Subject }));
      const feedback = { kind: "ignored", type: "Open" };
      expect(await next()).toEqual({ kind: "notification", messageId: expect.any(String), feedback });
    }

    // Confirmed with a signature, so that the link in a message cannot end it.
    const link = `${url}/?Action=Unsubscribe&SubscriptionArn=${subscription?.SubscriptionArn}`;
    expect((await fetch(link)).status).toBe(403);
    await client.send(new UnsubscribeCommand({ SubscriptionArn: subscription?.SubscriptionArn }));
    expect(await next()).toEqual({ kind: "unsubscribed", topicArn: TopicArn });
  });

  test("a token that SNS does not know is an error of the provider's", async () => {
    const { url, region: home } = simulator;
    const TopicArn = await createTopic(topicCalls(home, url), "postern-BB");
    const push = createFeedbackPush({ region: home, endpoint: url, topicArns: [TopicArn], certificateOrigin: url });
    const failure = await push.confirm({ topicArn: TopicArn, token: "x" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ kind: "invalid" });
  });
});

describe("a message that SNS signed", () => {
  test.for(kinds)("is believed: %s", async (type) => {
    expect((await aPush([sns]).read(aMessage(type))).kind).toMatch(/^(notification|confirmation|unsubscribed)$/);
  });

  test("is believed with a subject, with line breaks in the text, and with members that SNS may add", async () => {
    const message = {
      ...aMessage("Notification", { Subject: "s", Message: "a\nMessageId\nb" }),
      MessageAttributes: {},
    };
    expect(await aPush([sns]).read(message)).toMatchObject({ kind: "notification" });
  });

  test("is believed for an hour before and after its time, by the clock it is given", async () => {
    const at = Date.parse("2027-01-01T00:00:00.000Z");
    const message = aMessage("Notification", { Timestamp: new Date(at).toISOString() });
    for (const [seconds, kind] of [
      [-3601, "refused"],
      [-3600, "notification"],
      [3600, "notification"],
      [3601, "refused"],
    ] as const) {
      expect(await aPush([sns], { now: () => at + seconds * 1000 }).read(message)).toMatchObject({ kind });
    }
  });
});

describe("a message is refused", () => {
  const unsigned = snsFields("Notification", topicArn);
  const cases: [string, () => object, string][] = [
    ["that is raw, so that nothing is signed", () => ({ eventType: "Bounce" }), "not a message of SNS"],
    ["of an unknown type", () => signed(sns, origin, { ...unsigned, Type: "notification" }), "not a message of SNS"],
    ["without a signature", () => ({ ...aMessage(), Signature: undefined }), "not a message of SNS"],
    ["with a subject that is no text", () => ({ ...aMessage(), Subject: null }), "not a message of SNS"],
    ["with two lines in its subject", () => aMessage("Notification", { Subject: "a\nb" }), "not a message of SNS"],
    ["of another topic", () => aMessage("Notification", { TopicArn: `${topicArn}2` }), "a topic that is not ours"],
    ["signed with SHA-1", () => signed(sns, origin, unsigned, "1"), "a signature version other than 2"],
    [
      "signed with SHA-1 that says 2",
      () => ({ ...signed(sns, origin, unsigned, "1"), SignatureVersion: "2" }),
      "a signature that does not fit",
    ],
    [
      "signed with SHA-256 that says 1",
      () => ({ ...aMessage(), SignatureVersion: "1" }),
      "a signature version other than 2",
    ],
    ["with a version that is a number", () => ({ ...aMessage(), SignatureVersion: 2 }), "not a message of SNS"],
    ["of last year", () => aMessage("Notification", { Timestamp: "2025-11-15T00:00:00.000Z" }), "not from this hour"],
    ["of no time", () => aMessage("Notification", { Timestamp: "now" }), "not a message of SNS"],
    ["with another text", () => ({ ...aMessage(), Message: "x" }), "a signature that does not fit"],
    ["with a subject that was not signed", () => ({ ...aMessage(), Subject: "x" }), "a signature that does not fit"],
    [
      "whose token was changed",
      () => ({ ...aMessage("UnsubscribeConfirmation"), Token: "x" }),
      "a signature that does not fit",
    ],
    [
      "whose signature is spelt differently",
      () => ({ ...aMessage(), Signature: ` ${aMessage().Signature}` }),
      "a signature that does not fit",
    ],
  ];
  test.for(cases)("%s", async ([, make, reason]) => {
    expect(await aPush([sns]).read(make())).toEqual({ kind: "refused", reason });
  });

  test.for(["", "{", "[]", "7", `"${"x".repeat(1_048_576)}"`])("that is no object: %.20s", async (text) => {
    const push = createFeedbackPush({
      region,
      endpoint: undefined,
      topicArns: [topicArn],
      fetch: () => Promise.reject(new Error("fetched")),
    });
    expect(await push.read(text)).toEqual({ kind: "refused", reason: "not a message of SNS" });
  });

  test("whose end was moved into the next field, although the signed text is the same", async () => {
    const genuine = aMessage("Notification", { Message: `{"eventType":"Open"}\nMessageId\nx` });
    const moved = { ...genuine, Message: `{"eventType":"Open"}`, MessageId: `x\nMessageId\n${genuine.MessageId}` };
    expect(await aPush([sns]).read(genuine)).toMatchObject({ kind: "notification" });
    expect(await aPush([sns]).read(moved)).toEqual({ kind: "refused", reason: "not a message of SNS" });
  });

  test("signed by somebody else with our certificate's address", async () => {
    const stranger = await anSnsSigner();
    const message = signed({ ...stranger, path: sns.path }, origin, unsigned);
    expect(await aPush([sns]).read(message)).toEqual({ kind: "refused", reason: "a signature that does not fit" });
  });

  test.for([
    ["is no longer valid", "1996-01-01T00:00:00Z"],
    ["is not valid yet", "2040-01-01T00:00:00Z"],
  ])("whose certificate %s", async ([, from]) => {
    const signer = await anSnsSigner({ validFrom: new Date(from ?? "") });
    const message = signed(signer, origin, unsigned);
    expect(await aPush([signer]).read(message)).toEqual({ kind: "refused", reason: "a certificate that is not valid" });
  });
});

describe("a certificate is fetched", () => {
  const elsewhere = (path: string) => [
    `http://sns.${region}.amazonaws.com${path}`,
    `https://sns.us-east-1.amazonaws.com${path}`,
    `https://sns.${region}.amazonaws.com.cn${path}`,
    `https://sns.${region}.amazonaws.com:443${path}`,
    `https://sns.${region}.amazonaws.com.evil.test${path}`,
    `https://sns.${region}.amazonaws.com@evil.test${path}`,
    `https://evil.test@sns.${region}.amazonaws.com${path}`,
    `https://sns.s3-us-west-2.amazonaws.com${path}`,
    `https://SNS.${region}.amazonaws.com${path}`,
    `https://sns.${region}.amazonaws。com${path}`,
    `https://sns.${region}.amazonaws.com/evil${path}`,
    `https://sns.${region}.amazonaws.com/..${path}`,
    `https://sns.${region}.amazonaws.com${path}?x`,
    `https://sns.${region}.amazonaws.com${path}#x`,
    `https://sns.${region}.amazonaws.com${path}\n`,
    ` https://sns.${region}.amazonaws.com${path}`,
    `https://sns.${region}.amazonaws.com${path.toUpperCase()}`,
    "http://127.0.0.1:4579/SimpleNotificationService-00000000000000000000000000000000.pem",
  ];

  test("from nowhere but the host of the topic's region", async () => {
    const { fetched, read } = aPush([sns]);
    for (const SigningCertURL of elsewhere(sns.path)) {
      const refused = { kind: "refused", reason: "a certificate from elsewhere" };
      expect(await read({ ...aMessage(), SigningCertURL }), SigningCertURL).toEqual(refused);
    }
    expect(fetched).toEqual([]);
  });

  test("from China's own host for a topic there", async () => {
    const arn = "arn:aws-cn:sns:cn-north-1:123456789012:postern-AA";
    const host = "https://sns.cn-north-1.amazonaws.com.cn";
    const fetched: string[] = [];
    const { read } = aPush([], {
      topicArns: [arn],
      fetch: async (url) => {
        fetched.push(url);
        return sns.certificate;
      },
    });
    expect(await read(signed(sns, host, snsFields("Notification", arn)))).toMatchObject({ kind: "notification" });
    expect(fetched).toEqual([`${host}${sns.path}`]);
  });

  test("not at all for what is refused without it", async () => {
    const { fetched, read } = aPush([sns]);
    await read(aMessage("Notification", { TopicArn: `${topicArn}2` }));
    await read({ ...aMessage(), SignatureVersion: "1" });
    await read(aMessage("Notification", { Timestamp: "2025-11-15T00:00:00.000Z" }));
    expect(fetched).toEqual([]);
  });

  test("once, also when many messages need it at the same time", async () => {
    const { fetched, read } = aPush([sns]);
    await Promise.all(Array.from({ length: 20 }, () => read(aMessage())));
    await read(aMessage());
    expect(fetched).toHaveLength(1);
  });

  test("again ten seconds after it could not be had, and the message is neither believed nor refused", async () => {
    let now = Date.now();
    const signers: SnsSigner[] = [];
    const { fetched, read } = aPush(signers, { now: () => now });
    const reason = "the certificate cannot be had: the answer is 404";
    expect(await read(aMessage())).toEqual({ kind: "cannot-check", reason });
    signers.push(sns);
    expect(await read(aMessage())).toEqual({ kind: "cannot-check", reason });
    expect(fetched).toHaveLength(1);
    now += 10_000;
    expect(await read(aMessage())).toMatchObject({ kind: "notification" });
  });

  test("for a bounded number of invented addresses, which never displace a good one", async () => {
    const { fetched, read } = aPush([sns]);
    await read(aMessage());
    const invented = (n: number) => ({
      ...aMessage(),
      SigningCertURL: `${origin}/SimpleNotificationService-${n.toString(16).padStart(32, "0")}.pem`,
    });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => read(invented(n))));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["cannot-check"]));
    expect(fetched.length).toBeLessThanOrEqual(1 + 8);
    for (let n = 100; n < 300; n++) await read(invented(n));
    const before = fetched.length;
    expect(await read(aMessage())).toMatchObject({ kind: "notification" });
    expect(fetched.length).toBe(before);
  });

  test.for([
    ["RSA of 1024 bits", () => generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey],
    ["an elliptic curve", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey],
  ] as const)("and not used when its key is %s", async ([, make]) => {
    const weak = signerOf(make(), new Date(Date.now() - 86_400_000));
    const message = signed(weak, origin, snsFields("Notification", topicArn));
    expect(await aPush([weak]).read(message)).toMatchObject({ kind: "cannot-check" });
  });

  test.for(["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])(
    "and not used when it is none: %j",
    async (certificate) => {
      expect(await aPush([{ ...sns, certificate }]).read(aMessage())).toMatchObject({ kind: "cannot-check" });
    },
  );
});
