import {
  AuthorizationErrorException,
  CreateTopicCommand,
  DeleteTopicCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  NotFoundException,
  SetTopicAttributesCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { describe, expect, test } from "vitest";
import { aSubscription, publish } from "../test/a-subscription.ts";
import { anEndpoint } from "../test/an-endpoint.ts";
import { aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** Fact sheet, section 6. */
describe("SNS topics", () => {
  test("SNS creates, lists, reads, changes and deletes a topic, and a repeated creation returns the same topic", async () => {
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
    await expect(publish(running, TopicArn)).rejects.toBeInstanceOf(NotFoundException);
    const list = new ListSubscriptionsByTopicCommand({ TopicArn });
    await expect(running.sns.send(list)).rejects.toBeInstanceOf(NotFoundException);
  });

  test("SNS refuses a message above 256 KB", async () => {
    await expect(publish(running, await aTopic(running), "x".repeat(256 * 1024 + 1))).rejects.toBeInstanceOf(
      InvalidParameterException,
    );
  });

  test("the SDK reads an AuthorizationError with status 403 as AuthorizationErrorException", async () => {
    await running.control("POST", "rules", {
      operation: "Publish",
      times: 1,
      fault: { kind: "error", name: "AccessDeniedException" },
    });
    await expect(publish(running, await aTopic(running))).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { arn } = await aSubscription(running, endpoint, topicArn);
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
