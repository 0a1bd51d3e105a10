import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import {
  AuthorizationErrorException,
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  DeleteTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  NotFoundException,
  PublishCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { anEndpoint, anHttpsEndpoint } from "../test/an-endpoint.ts";
import { type AnyEvent, aConfigurationSet, aMail, aQueue, aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

afterEach(async () => {
  await running.control("PUT", "clock", { speed: 1 });
});

type Endpoint = Awaited<ReturnType<typeof anEndpoint>>;

/** Subscribes and confirms by API call, as Postern does; hands back the confirmation message too. */
async function aSubscription(endpoint: Endpoint, topicArn: string, attributes: Record<string, string> = {}) {
  const Protocol = new URL(endpoint.url).protocol.slice(0, -1);
  const subscribe = { TopicArn: topicArn, Protocol, Endpoint: endpoint.url, Attributes: attributes };
  const { SubscriptionArn } = await running.sns.send(new SubscribeCommand(subscribe));
  const confirmation = await endpoint.next();
  const confirm = { TopicArn: topicArn, Token: confirmation.body.Token, AuthenticateOnUnsubscribe: "true" };
  const confirmed = await running.sns.send(new ConfirmSubscriptionCommand(confirm));
  return { answered: SubscriptionArn, arn: confirmed.SubscriptionArn ?? "", confirmation };
}

const publish = (TopicArn: string, Message = "hello", Subject?: string) =>
  running.sns.send(new PublishCommand({ TopicArn, Message, Subject }));

const retryPolicy = (numRetries: number, delay: number) =>
  JSON.stringify({ healthyRetryPolicy: { numRetries, minDelayTarget: delay, maxDelayTarget: delay } });

/** Written from the documented string to sign, apart from the simulator's own code. */
async function isGenuine(message: AnyEvent): Promise<boolean> {
  const pem = await (await fetch(message.SigningCertURL)).text();
  const certificate = new X509Certificate(pem);
  const names =
    message.Type === "Notification"
      ? ["Message", "MessageId", ...("Subject" in message ? ["Subject"] : []), "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  let toSign = "";
  for (const name of names) toSign += `${name}\n${message[name]}\n`;
  const algorithm = { "1": "RSA-SHA1", "2": "RSA-SHA256" }[message.SignatureVersion as "1" | "2"];
  const signature = Buffer.from(message.Signature, "base64");
  return verify(
    algorithm,
    Buffer.from(toSign),
    createPublicKey(certificate.publicKey.export({ type: "spki", format: "pem" })),
    signature,
  );
}

/** Fact sheet, section 6. */
describe("signatures", () => {
  test.each([["1"], ["2"]])(
    "version %s verifies with an independent check, and not with one bit flipped in any signed field",
    async (version) => {
      const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running, { SignatureVersion: version })];
      const { confirmation, arn } = await aSubscription(endpoint, topicArn);
      await publish(topicArn, 'a message with "quotes",\nlines and ü', "with a subject");
      const withSubject = (await endpoint.next()).body;
      await publish(topicArn);
      const plain = (await endpoint.next()).body;
      await running.sns.send(new UnsubscribeCommand({ SubscriptionArn: arn }));
      const goodbye = (await endpoint.next()).body;
      expect(goodbye.Type).toBe("UnsubscribeConfirmation");
      for (const message of [confirmation.body, withSubject, plain, goodbye]) {
        expect(message.SignatureVersion).toBe(version);
        expect(await isGenuine(message)).toBe(true);
        for (const field of ["Message", "MessageId", "Timestamp", "TopicArn", "Signature"]) {
          expect(await isGenuine({ ...message, [field]: flipBit(message[field]) }), `${message.Type} ${field}`).toBe(
            false,
          );
        }
      }
      expect(await isGenuine({ ...withSubject, Subject: flipBit(withSubject.Subject) })).toBe(false);
      expect(await isGenuine({ ...goodbye, Token: flipBit(goodbye.Token) })).toBe(false);
    },
  );

  test("come with a certificate at an address shaped like SNS's, valid now and self-signed", async () => {
    const { certificateUrl } = running.simulator;
    expect(new URL(certificateUrl).pathname).toMatch(/^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/);
    const certificate = new X509Certificate(await (await fetch(certificateUrl)).text());
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  test("keep their certificate over a restart", async () => {
    const before = new URL(running.simulator.certificateUrl).pathname;
    await running.restart();
    expect(new URL(running.simulator.certificateUrl).pathname).toBe(before);
  });

  test("can name another certificate host", async () => {
    running.options.certificateUrl = "https://sns.eu-west-1.amazonaws.com";
    await running.restart();
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { confirmation } = await aSubscription(endpoint, topicArn);
    expect(confirmation.body.SigningCertURL).toMatch(
      /^https:\/\/sns\.eu-west-1\.amazonaws\.com\/SimpleNotificationService-/,
    );
    delete running.options.certificateUrl;
    await running.restart();
  });
});

describe("push", () => {
  test("a confirmation carries token and SubscribeURL and names no subscription", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { answered, confirmation } = await aSubscription(endpoint, topicArn);
    expect(answered).toBe("pending confirmation");
    expect(confirmation.headers).toMatchObject({
      "content-type": "text/plain; charset=UTF-8",
      "user-agent": "Amazon Simple Notification Service Agent",
      "x-amz-sns-message-type": "SubscriptionConfirmation",
      "x-amz-sns-message-id": confirmation.body.MessageId,
      "x-amz-sns-topic-arn": topicArn,
    });
    expect(confirmation.headers["x-amz-sns-subscription-arn"]).toBeUndefined();
    expect(Object.keys(confirmation.body).toSorted()).toEqual([
      "Message",
      "MessageId",
      "Signature",
      "SignatureVersion",
      "SigningCertURL",
      "SubscribeURL",
      "Timestamp",
      "Token",
      "TopicArn",
      "Type",
    ]);
  });

  test("a notification carries the message, its ids and an UnsubscribeURL", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { arn } = await aSubscription(endpoint, topicArn);
    const { MessageId } = await publish(topicArn, "hello");
    const { headers, body } = await endpoint.next();
    expect(headers).toMatchObject({ "x-amz-sns-message-type": "Notification", "x-amz-sns-subscription-arn": arn });
    expect(body).toMatchObject({ Type: "Notification", Message: "hello", MessageId, TopicArn: topicArn });
    expect(body.UnsubscribeURL).toContain(`SubscriptionArn=${arn}`);
    expect(body).not.toHaveProperty("Subject");
  });

  test("goes over https too, to an endpoint on this machine with any certificate", async () => {
    const [endpoint, topicArn] = [await anHttpsEndpoint(), await aTopic(running)];
    await aSubscription(endpoint, topicArn);
    await publish(topicArn, "in private");
    expect((await endpoint.next()).body.Message).toBe("in private");
  });

  test("an endpoint that has not confirmed gets no notification", async () => {
    const [endpoint, other, topicArn] = [await anEndpoint(), await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    await endpoint.next();
    await aSubscription(other, topicArn);
    await publish(topicArn);
    await other.next();
    expect(endpoint.unread).toEqual([]);
  });

  test("raw delivery sends the bare message with its header and no signature", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await aSubscription(endpoint, topicArn, { RawMessageDelivery: "true" });
    await publish(topicArn, "bare");
    const { text, headers } = await endpoint.next();
    expect(text).toBe("bare");
    expect(headers["x-amz-sns-rawdelivery"]).toBe("true");
  });

  test("a 5xx is retried three times, 20 s apart, with the same MessageId, and then the message is discarded", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 503, 502, 500), await aTopic(running)];
    await aSubscription(endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 200 });
    const discarded = (await running.control("GET", "health")).body.discardedBySns;
    const { MessageId } = await publish(topicArn);
    const tries = [await endpoint.next(), await endpoint.next(), await endpoint.next(), await endpoint.next()];
    expect(tries.map(({ body }) => body.MessageId)).toEqual([MessageId, MessageId, MessageId, MessageId]);
    for (const index of [1, 2, 3])
      expect((tries[index]?.at ?? 0) - (tries[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(95);
    await expect
      .poll(async () => (await running.control("GET", "health")).body.discardedBySns, { timeout: 5000 })
      .toBe(discarded + 1);
    expect(endpoint.unread).toEqual([]);
  });

  test("a 4xx is final: the message goes to the dead-letter queue at once", async () => {
    const [endpoint, topicArn, queue] = [await anEndpoint(200, 404), await aTopic(running), await aQueue(running)];
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queue.arn });
    await aSubscription(endpoint, topicArn, { RedrivePolicy });
    await publish(topicArn, "unwanted");
    const { Messages = [] } = await running.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue.url, WaitTimeSeconds: 5 }),
    );
    expect(JSON.parse(Messages[0]?.Body ?? "{}").Message).toBe("unwanted");
    expect(endpoint.unread).toHaveLength(1);
  });

  test("an endpoint that does not answer in time is tried again", async () => {
    running.options.pushTimeoutSeconds = 0.2;
    await running.restart();
    const [endpoint, topicArn] = [await anEndpoint(200, "hang", 200), await aTopic(running)];
    await aSubscription(endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 1000 });
    const { MessageId } = await publish(topicArn);
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
    delete running.options.pushTimeoutSeconds;
    await running.restart();
  });

  test("a delivery policy sets the number of retries; one beyond 3,600 s is refused", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 500), await aTopic(running)];
    const { arn } = await aSubscription(endpoint, topicArn, { DeliveryPolicy: retryPolicy(1, 1) });
    await running.control("PUT", "clock", { speed: 100 });
    const discarded = (await running.control("GET", "health")).body.discardedBySns;
    await publish(topicArn);
    await expect
      .poll(async () => (await running.control("GET", "health")).body.discardedBySns, { timeout: 5000 })
      .toBe(discarded + 1);
    expect(endpoint.unread).toHaveLength(2);
    const change = { SubscriptionArn: arn, AttributeName: "DeliveryPolicy", AttributeValue: retryPolicy(100, 37) };
    await expect(running.sns.send(new SetSubscriptionAttributesCommand(change))).rejects.toBeInstanceOf(
      InvalidParameterException,
    );
  });

  test("a push that is waiting for its retry survives a restart", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 200), await aTopic(running)];
    await aSubscription(endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 20 });
    const { MessageId } = await publish(topicArn);
    await endpoint.next();
    await expect
      .poll(async () => (await running.control("GET", "health")).body.pendingPushes, { timeout: 5000 })
      .toBe(1);
    await running.restart();
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
  });
});

describe("subscriptions", () => {
  test("are confirmed by the SubscribeURL too, which answers XML", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    const { body } = await endpoint.next();
    const xml = await (await fetch(body.SubscribeURL)).text();
    expect(xml).toMatch(/^<ConfirmSubscriptionResponse .*<ConfirmSubscriptionResult><SubscriptionArn>arn:aws:sns:/);
    await publish(topicArn);
    expect((await endpoint.next()).body.Type).toBe("Notification");
  });

  test("with a wrong token or one older than two days are not confirmed", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    const { Token } = (await endpoint.next()).body;
    const confirm = (token: string) =>
      running.sns.send(new ConfirmSubscriptionCommand({ TopicArn: topicArn, Token: token }));
    await expect(confirm("wrong")).rejects.toBeInstanceOf(InvalidParameterException);
    await running.control("PUT", "clock", { speed: 1e12 });
    await expect(confirm(Token)).rejects.toBeInstanceOf(InvalidParameterException);
  });

  test("confirmed with AuthenticateOnUnsubscribe are not removed by the link, only by an API call", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { arn } = await aSubscription(endpoint, topicArn);
    await publish(topicArn);
    const { UnsubscribeURL } = (await endpoint.next()).body;
    const response = await fetch(UnsubscribeURL);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("<Code>AuthorizationError</Code>");
    await running.sns.send(new UnsubscribeCommand({ SubscriptionArn: arn }));
    const goodbye = await endpoint.next();
    expect(goodbye.headers["x-amz-sns-message-type"]).toBe("UnsubscribeConfirmation");
    await fetch(goodbye.body.SubscribeURL);
    await publish(topicArn, "back again");
    expect((await endpoint.next()).body.Message).toBe("back again");
  });

  test("of a queue are confirmed at once and show their attributes", async () => {
    const [topicArn, queue] = [await aTopic(running), await aQueue(running)];
    const subscribe = {
      TopicArn: topicArn,
      Protocol: "sqs",
      Endpoint: queue.arn,
      Attributes: { RawMessageDelivery: "true" },
    };
    const { SubscriptionArn = "" } = await running.sns.send(new SubscribeCommand(subscribe));
    const { Attributes } = await running.sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
    expect(Attributes).toMatchObject({
      Protocol: "sqs",
      Endpoint: queue.arn,
      PendingConfirmation: "false",
      RawMessageDelivery: "true",
    });
    const { Subscriptions } = await running.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn: topicArn }));
    expect(Subscriptions).toMatchObject([{ SubscriptionArn, TopicArn: topicArn, Protocol: "sqs" }]);
  });

  test("of a queue whose policy does not let SNS in lose the message to the dead-letter queue", async () => {
    const [topicArn, closed, dead] = [
      await aTopic(running),
      await aQueue(running, { Policy: "" }),
      await aQueue(running),
    ];
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn });
    await running.sns.send(
      new SubscribeCommand({
        TopicArn: topicArn,
        Protocol: "sqs",
        Endpoint: closed.arn,
        Attributes: { RedrivePolicy },
      }),
    );
    await publish(topicArn, "refused");
    const receive = (QueueUrl: string) => running.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 0 }));
    expect((await receive(closed.url)).Messages).toBeUndefined();
    expect((await receive(dead.url)).Messages?.[0]?.Body).toContain("refused");
  });

  test("with a wrong endpoint, protocol or attribute are refused", async () => {
    const TopicArn = await aTopic(running);
    const subscribe = (changes: object) =>
      running.sns.send(new SubscribeCommand({ TopicArn, Protocol: "https", Endpoint: "https://a.test/", ...changes }));
    await expect(subscribe({ Endpoint: "http://a.test/" })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Protocol: "email" })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Attributes: { Nonsense: "1" } })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Attributes: { RedrivePolicy: "{" } })).rejects.toBeInstanceOf(InvalidParameterException);
  });
});

describe("topics", () => {
  test("are created twice alike, listed, read, changed and deleted", async () => {
    const create = new CreateTopicCommand({ Name: "same" });
    const { TopicArn = "" } = await running.sns.send(create);
    expect(TopicArn).toBe("arn:aws:sns:eu-west-1:000000000000:same");
    expect((await running.sns.send(create)).TopicArn).toBe(TopicArn);
    expect((await running.sns.send(new ListTopicsCommand())).Topics).toContainEqual({ TopicArn });
    const attributes = async () => (await running.sns.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes;
    expect(await attributes()).toMatchObject({ TopicArn, SignatureVersion: "1", SubscriptionsConfirmed: "0" });
    const set = (AttributeName: string, AttributeValue: string) =>
      running.sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
    await set("SignatureVersion", "2");
    expect(await attributes()).toMatchObject({ SignatureVersion: "2" });
    await expect(set("SignatureVersion", "3")).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(set("Policy", "none")).rejects.toBeInstanceOf(InvalidParameterException);
    await running.sns.send(new DeleteTopicCommand({ TopicArn }));
    await expect(publish(TopicArn)).rejects.toBeInstanceOf(NotFoundException);
    const list = new ListSubscriptionsByTopicCommand({ TopicArn });
    await expect(running.sns.send(list)).rejects.toBeInstanceOf(NotFoundException);
  });

  test("refuse a message above 256 KB", async () => {
    await expect(publish(await aTopic(running), "x".repeat(256 * 1024 + 1))).rejects.toBeInstanceOf(
      InvalidParameterException,
    );
  });

  test("answer AuthorizationError as the SDK's AuthorizationErrorException with status 403", async () => {
    await running.control("POST", "rules", {
      operation: "Publish",
      times: 1,
      fault: { kind: "error", name: "AccessDeniedException" },
    });
    await expect(publish(await aTopic(running))).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { arn } = await aSubscription(endpoint, topicArn);
    const { sns } = running;
    sns.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { method: string; query: object; body: string };
        request.query = Object.fromEntries(new URLSearchParams(request.body));
        request.method = "GET";
        request.body = "";
        return next(args);
      },
      { step: "build" },
    );
    await expect(sns.send(new UnsubscribeCommand({ SubscriptionArn: arn }))).rejects.toBeInstanceOf(
      AuthorizationErrorException,
    );
  });
});

describe("SES events over push", () => {
  test("arrive signed at the endpoint with the mail's tags", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running, { SignatureVersion: "2" })];
    await aSubscription(endpoint, topicArn);
    const ConfigurationSetName = await aConfigurationSet(running, topicArn, ["SEND"]);
    const EmailTags = [{ Name: "send_id", Value: "7" }];
    await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName, EmailTags })));
    const { body } = await endpoint.next();
    expect(await isGenuine(body)).toBe(true);
    expect(JSON.parse(body.Message)).toMatchObject({ eventType: "Send", mail: { tags: { send_id: ["7"] } } });
  });
});

function flipBit(text: string): string {
  const bytes = Buffer.from(text);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes.toString();
}
