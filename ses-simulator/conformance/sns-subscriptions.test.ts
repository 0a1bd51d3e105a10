import {
  ConfirmSubscriptionCommand,
  GetSubscriptionAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { aSubscription, publish } from "../test/a-subscription.ts";
import { anEndpoint } from "../test/an-endpoint.ts";
import { aQueue, aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

afterEach(async () => {
  await running.control("PUT", "clock", { speed: 1 });
});

/** Fact sheet, section 6. */
describe("SNS subscriptions", () => {
  test("the SubscribeURL also confirms a subscription and answers XML", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    const { body } = await endpoint.next();
    const xml = await (await fetch(body.SubscribeURL)).text();
    expect(xml).toMatch(/^<ConfirmSubscriptionResponse .*<ConfirmSubscriptionResult><SubscriptionArn>arn:aws:sns:/);
    await publish(running, topicArn);
    expect((await endpoint.next()).body.Type).toBe("Notification");
  });

  test("SNS refuses a confirmation with a wrong token or a token older than two days", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    await running.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint: endpoint.url }));
    const { Token } = (await endpoint.next()).body;
    const confirm = (token: string) =>
      running.sns.send(new ConfirmSubscriptionCommand({ TopicArn: topicArn, Token: token }));
    await expect(confirm("wrong")).rejects.toBeInstanceOf(InvalidParameterException);
    await running.control("PUT", "clock", { speed: 1e12 });
    await expect(confirm(Token)).rejects.toBeInstanceOf(InvalidParameterException);
  });

  test("only an API call, not the link, removes a subscription confirmed with AuthenticateOnUnsubscribe", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { arn } = await aSubscription(running, endpoint, topicArn);
    await publish(running, topicArn);
    const { UnsubscribeURL } = (await endpoint.next()).body;
    const response = await fetch(UnsubscribeURL);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("<Code>AuthorizationError</Code>");
    await running.sns.send(new UnsubscribeCommand({ SubscriptionArn: arn }));
    const removal = await endpoint.next();
    expect(removal.headers["x-amz-sns-message-type"]).toBe("UnsubscribeConfirmation");
    await fetch(removal.body.SubscribeURL);
    await publish(running, topicArn, "back again");
    expect((await endpoint.next()).body.Message).toBe("back again");
  });

  test("SNS confirms a queue subscription immediately and returns its attributes", async () => {
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

  test("SNS sends a message to the dead-letter queue if the policy of the queue does not allow SNS", async () => {
    const [topicArn, closed, deadLetterQueue] = [
      await aTopic(running),
      await aQueue(running, { Policy: "" }),
      await aQueue(running),
    ];
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetterQueue.arn });
    await running.sns.send(
      new SubscribeCommand({
        TopicArn: topicArn,
        Protocol: "sqs",
        Endpoint: closed.arn,
        Attributes: { RedrivePolicy },
      }),
    );
    await publish(running, topicArn, "refused");
    const receive = (QueueUrl: string) => running.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 0 }));
    expect((await receive(closed.url)).Messages).toBeUndefined();
    expect((await receive(deadLetterQueue.url)).Messages?.[0]?.Body).toContain("refused");
  });

  test("SNS refuses a subscription with a wrong endpoint, protocol or attribute", async () => {
    const TopicArn = await aTopic(running);
    const subscribe = (changes: object) =>
      running.sns.send(new SubscribeCommand({ TopicArn, Protocol: "https", Endpoint: "https://a.test/", ...changes }));
    await expect(subscribe({ Endpoint: "http://a.test/" })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Protocol: "email" })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Attributes: { Nonsense: "1" } })).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(subscribe({ Attributes: { RedrivePolicy: "{" } })).rejects.toBeInstanceOf(InvalidParameterException);
  });
});
