import { InvalidParameterException, SetSubscriptionAttributesCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { aSubscription, publish } from "../test/a-subscription.ts";
import { anEndpoint, anHttpsEndpoint } from "../test/an-endpoint.ts";
import { aQueue, aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

afterEach(async () => {
  await running.control("PUT", "clock", { speed: 1 });
});

const retryPolicy = (numRetries: number, delay: number) =>
  JSON.stringify({ healthyRetryPolicy: { numRetries, minDelayTarget: delay, maxDelayTarget: delay } });

/** Fact sheet, section 6. */
describe("SNS push", () => {
  test("a confirmation carries the token and the SubscribeURL and no subscription ARN", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { answered, confirmation } = await aSubscription(running, endpoint, topicArn);
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
    const { arn } = await aSubscription(running, endpoint, topicArn);
    const { MessageId } = await publish(running, topicArn, "hello");
    const { headers, body } = await endpoint.next();
    expect(headers).toMatchObject({ "x-amz-sns-message-type": "Notification", "x-amz-sns-subscription-arn": arn });
    expect(body).toMatchObject({ Type: "Notification", Message: "hello", MessageId, TopicArn: topicArn });
    expect(body.UnsubscribeURL).toContain(`SubscriptionArn=${arn}`);
    expect(body).not.toHaveProperty("Subject");
  });

  test("SNS also pushes over https, to a loopback endpoint with any certificate", async () => {
    const [endpoint, topicArn] = [await anHttpsEndpoint(), await aTopic(running)];
    await aSubscription(running, endpoint, topicArn);
    await publish(running, topicArn, "in private");
    expect((await endpoint.next()).body.Message).toBe("in private");
  });

  test("SNS sends no notification to an endpoint that has not confirmed", async () => {
    const [endpoint, other, topicArn] = [await anEndpoint(), await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    await endpoint.next();
    await aSubscription(running, other, topicArn);
    await publish(running, topicArn);
    await other.next();
    expect(endpoint.unread).toEqual([]);
  });

  test("raw delivery sends only the message, with the raw delivery header and no signature", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await aSubscription(running, endpoint, topicArn, { RawMessageDelivery: "true" });
    await publish(running, topicArn, "bare");
    const { text, headers } = await endpoint.next();
    expect(text).toBe("bare");
    expect(headers["x-amz-sns-rawdelivery"]).toBe("true");
  });

  test("SNS retries after a 5xx three times, 20 s apart, with the same MessageId, and then discards the message", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 503, 502, 500), await aTopic(running)];
    await aSubscription(running, endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 200 });
    const discarded = (await running.control("GET", "health")).body.discardedBySns;
    const { MessageId } = await publish(running, topicArn);
    const attempts = [await endpoint.next(), await endpoint.next(), await endpoint.next(), await endpoint.next()];
    expect(attempts.map(({ body }) => body.MessageId)).toEqual([MessageId, MessageId, MessageId, MessageId]);
    for (const index of [1, 2, 3])
      expect((attempts[index]?.at ?? 0) - (attempts[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(95);
    await expect
      .poll(async () => (await running.control("GET", "health")).body.discardedBySns, { timeout: 5000 })
      .toBe(discarded + 1);
    expect(endpoint.unread).toEqual([]);
  });

  test("a 4xx is final: SNS moves the message to the dead-letter queue without a retry", async () => {
    const [endpoint, topicArn, queue] = [await anEndpoint(200, 404), await aTopic(running), await aQueue(running)];
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queue.arn });
    await aSubscription(running, endpoint, topicArn, { RedrivePolicy });
    await publish(running, topicArn, "unwanted");
    const { Messages = [] } = await running.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue.url, WaitTimeSeconds: 5 }),
    );
    expect(JSON.parse(Messages[0]?.Body ?? "{}").Message).toBe("unwanted");
    expect(endpoint.unread).toHaveLength(1);
  });

  test("SNS retries when the endpoint does not answer in time", async () => {
    running.options.pushTimeoutSeconds = 0.2;
    await running.restart();
    const [endpoint, topicArn] = [await anEndpoint(200, "hang", 200), await aTopic(running)];
    await aSubscription(running, endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 1000 });
    const { MessageId } = await publish(running, topicArn);
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
    delete running.options.pushTimeoutSeconds;
    await running.restart();
  });

  test("a delivery policy sets the number of retries, and SNS refuses one above 3,600 s", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 500), await aTopic(running)];
    const { arn } = await aSubscription(running, endpoint, topicArn, { DeliveryPolicy: retryPolicy(1, 1) });
    await running.control("PUT", "clock", { speed: 100 });
    const discarded = (await running.control("GET", "health")).body.discardedBySns;
    await publish(running, topicArn);
    await expect
      .poll(async () => (await running.control("GET", "health")).body.discardedBySns, { timeout: 5000 })
      .toBe(discarded + 1);
    expect(endpoint.unread).toHaveLength(2);
    const change = { SubscriptionArn: arn, AttributeName: "DeliveryPolicy", AttributeValue: retryPolicy(100, 37) };
    await expect(running.sns.send(new SetSubscriptionAttributesCommand(change))).rejects.toBeInstanceOf(
      InvalidParameterException,
    );
  });

  test("a push that waits for its retry survives a restart", async () => {
    const [endpoint, topicArn] = [await anEndpoint(200, 500, 200), await aTopic(running)];
    await aSubscription(running, endpoint, topicArn);
    await running.control("PUT", "clock", { speed: 20 });
    const { MessageId } = await publish(running, topicArn);
    await endpoint.next();
    await expect
      .poll(async () => (await running.control("GET", "health")).body.pendingPushes, { timeout: 5000 })
      .toBe(1);
    await running.restart();
    expect((await endpoint.next()).body.MessageId).toBe(MessageId);
  });
});
