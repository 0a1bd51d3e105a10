import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aFeedbackPush, origin, region, topicArn } from "../../../../test/feedback-push-fixture.ts";
import {
  anSnsSigner,
  type SnsFields,
  type SnsSigner,
  signed,
  signerOf,
  snsFields,
} from "../../../../test/sns-signer.ts";

let sns: SnsSigner;
beforeAll(async () => {
  sns = await anSnsSigner();
});

const aMessage = (type = "Notification", changes: SnsFields = {}) =>
  signed(sns, origin, snsFields(type, topicArn, changes));

describe("it fetches a certificate", () => {
  const foreignUrls = (path: string) => [
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

  test("only from the host of the topic's region", async () => {
    const { fetched, read } = aFeedbackPush([sns]);
    for (const SigningCertURL of foreignUrls(sns.path)) {
      const refused = { kind: "refused", reason: "certificate address is not allowed" };
      expect(await read({ ...aMessage(), SigningCertURL }), SigningCertURL).toEqual(refused);
    }
    expect(fetched).toEqual([]);
  });

  test("from the host for China if the topic is in China", async () => {
    const arn = "arn:aws-cn:sns:cn-north-1:123456789012:postern-AA";
    const host = "https://sns.cn-north-1.amazonaws.com.cn";
    const fetched: string[] = [];
    const { read } = aFeedbackPush([], {
      topicArns: [arn],
      fetch: async (url) => {
        fetched.push(url);
        return sns.certificate;
      },
    });
    expect(await read(signed(sns, host, snsFields("Notification", arn)))).toMatchObject({ kind: "notification" });
    expect(fetched).toEqual([`${host}${sns.path}`]);
  });

  test("only for messages that pass all other checks", async () => {
    const { fetched, read } = aFeedbackPush([sns]);
    await read(aMessage("Notification", { TopicArn: `${topicArn}2` }));
    await read({ ...aMessage(), SignatureVersion: "1" });
    await read(aMessage("Notification", { Timestamp: "2025-11-15T00:00:00.000Z" }));
    expect(fetched).toEqual([]);
  });

  test("once, also for concurrent messages", async () => {
    const { fetched, read } = aFeedbackPush([sns]);
    await Promise.all(Array.from({ length: 20 }, () => read(aMessage())));
    await read(aMessage());
    expect(fetched).toHaveLength(1);
  });

  test("again ten seconds after a failed fetch, and until then neither reads nor refuses the message", async () => {
    let now = Date.now();
    const signers: SnsSigner[] = [];
    const { fetched, read } = aFeedbackPush(signers, { now: () => now });
    const reason = "the certificate cannot be fetched: the server answered 404";
    expect(await read(aMessage())).toEqual({ kind: "cannot-check", reason });
    signers.push(sns);
    expect(await read(aMessage())).toEqual({ kind: "cannot-check", reason });
    expect(fetched).toHaveLength(1);
    now += 10_000;
    expect(await read(aMessage())).toMatchObject({ kind: "notification" });
  });

  test("for a limited number of invented addresses, which never displace a valid certificate from the cache", async () => {
    const { fetched, read } = aFeedbackPush([sns]);
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
  ] as const)("and does not use it if its key is %s", async ([, make]) => {
    const weak = signerOf(make(), new Date(Date.now() - 86_400_000));
    const message = signed(weak, origin, snsFields("Notification", topicArn));
    expect(await aFeedbackPush([weak]).read(message)).toMatchObject({ kind: "cannot-check" });
  });

  test.for(["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])(
    "and does not use a text that is not a certificate: %j",
    async (certificate) => {
      expect(await aFeedbackPush([{ ...sns, certificate }]).read(aMessage())).toMatchObject({ kind: "cannot-check" });
    },
  );
});
