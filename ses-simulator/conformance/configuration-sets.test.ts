import { randomUUID } from "node:crypto";
import {
  AlreadyExistsException,
  BadRequestException,
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  DeleteConfigurationSetCommand,
  DeleteConfigurationSetEventDestinationCommand,
  type EventDestinationDefinition,
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  LimitExceededException,
  ListConfigurationSetsCommand,
  NotFoundException,
  PutConfigurationSetSendingOptionsCommand,
  SendEmailCommand,
  UpdateConfigurationSetEventDestinationCommand,
} from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aMail, aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

async function aSet(): Promise<string> {
  const ConfigurationSetName = `set-${randomUUID()}`;
  await running.ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName }));
  return ConfigurationSetName;
}

const addDestination = (
  ConfigurationSetName: string,
  EventDestinationName: string,
  changes: Partial<EventDestinationDefinition>,
) => {
  const EventDestination = { Enabled: true, MatchingEventTypes: ["SEND" as const], ...changes };
  return running.ses.send(
    new CreateConfigurationSetEventDestinationCommand({ ConfigurationSetName, EventDestinationName, EventDestination }),
  );
};

/** Fact sheet, section 4. */
describe("configuration sets", () => {
  test("SES creates, returns with all options, lists and deletes a configuration set", async () => {
    const ConfigurationSetName = "all-options";
    await running.ses.send(
      new CreateConfigurationSetCommand({
        ConfigurationSetName,
        DeliveryOptions: { TlsPolicy: "REQUIRE", MaxDeliverySeconds: 300 },
        SendingOptions: { SendingEnabled: true },
        SuppressionOptions: { SuppressedReasons: [] },
      }),
    );
    expect(await running.ses.send(new GetConfigurationSetCommand({ ConfigurationSetName }))).toMatchObject({
      ConfigurationSetName,
      DeliveryOptions: { TlsPolicy: "REQUIRE", MaxDeliverySeconds: 300 },
      SendingOptions: { SendingEnabled: true },
      SuppressionOptions: { SuppressedReasons: [] },
    });
    expect((await running.ses.send(new ListConfigurationSetsCommand())).ConfigurationSets).toContain(
      ConfigurationSetName,
    );
    const repeated = new CreateConfigurationSetCommand({ ConfigurationSetName });
    await expect(running.ses.send(repeated)).rejects.toBeInstanceOf(AlreadyExistsException);
    await running.ses.send(new DeleteConfigurationSetCommand({ ConfigurationSetName }));
    const get = new GetConfigurationSetCommand({ ConfigurationSetName });
    await expect(running.ses.send(get)).rejects.toBeInstanceOf(NotFoundException);
  });

  test.each([
    ["a dot", "a.b"],
    ["65 characters", "a".repeat(65)],
    ["a slash", "a/b"],
  ])("SES refuses a configuration set with %s in its name", async (_, name) => {
    const command = new CreateConfigurationSetCommand({ ConfigurationSetName: name });
    await expect(running.ses.send(command)).rejects.toBeInstanceOf(BadRequestException);
  });

  test("SES refuses MaxDeliverySeconds outside 300 to 50400", async () => {
    const DeliveryOptions = { MaxDeliverySeconds: 299 };
    const command = new CreateConfigurationSetCommand({ ConfigurationSetName: "slow", DeliveryOptions });
    await expect(running.ses.send(command)).rejects.toBeInstanceOf(BadRequestException);
  });

  test("a send with a paused configuration set is a SendingPausedException", async () => {
    const ConfigurationSetName = await aSet();
    await running.ses.send(
      new PutConfigurationSetSendingOptionsCommand({ ConfigurationSetName, SendingEnabled: false }),
    );
    const send = running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName })));
    await expect(send).rejects.toMatchObject({ name: "SendingPausedException", $metadata: { httpStatusCode: 400 } });
  });
});

describe("event destinations", () => {
  test("SES creates, returns, changes and deletes an event destination", async () => {
    const [set, TopicArn] = [await aSet(), await aTopic(running)];
    await addDestination(set, "feedback", { MatchingEventTypes: ["SEND", "BOUNCE"], SnsDestination: { TopicArn } });
    const get = async () =>
      (await running.ses.send(new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: set })))
        .EventDestinations;
    expect(await get()).toEqual([
      { Name: "feedback", Enabled: true, MatchingEventTypes: ["SEND", "BOUNCE"], SnsDestination: { TopicArn } },
    ]);
    const names = { ConfigurationSetName: set, EventDestinationName: "feedback" };
    const EventDestination = { Enabled: false, MatchingEventTypes: ["SEND" as const], SnsDestination: { TopicArn } };
    await running.ses.send(new UpdateConfigurationSetEventDestinationCommand({ ...names, EventDestination }));
    expect(await get()).toMatchObject([{ Enabled: false, MatchingEventTypes: ["SEND"] }]);
    await running.ses.send(new DeleteConfigurationSetEventDestinationCommand(names));
    expect(await get()).toEqual([]);
    const repeated = running.ses.send(new DeleteConfigurationSetEventDestinationCommand(names));
    await expect(repeated).rejects.toBeInstanceOf(NotFoundException);
  });

  test("a repeated name is an AlreadyExistsException, and the eleventh destination is a LimitExceededException", async () => {
    const [set, TopicArn] = [await aSet(), await aTopic(running)];
    for (let number = 1; number <= 10; number++)
      await addDestination(set, `d${number}`, { SnsDestination: { TopicArn } });
    await expect(addDestination(set, "d1", { SnsDestination: { TopicArn } })).rejects.toBeInstanceOf(
      AlreadyExistsException,
    );
    await expect(addDestination(set, "d11", { SnsDestination: { TopicArn } })).rejects.toBeInstanceOf(
      LimitExceededException,
    );
  });

  test("an event destination needs a set, an event type, a topic, and a topic policy that allows SES to publish", async () => {
    const [set, TopicArn] = [await aSet(), await aTopic(running)];
    const SnsDestination = { TopicArn };
    await expect(addDestination("none", "d", { SnsDestination })).rejects.toBeInstanceOf(NotFoundException);
    await expect(addDestination(set, "d", { SnsDestination, MatchingEventTypes: [] })).rejects.toBeInstanceOf(
      BadRequestException,
    );
    const missing = { TopicArn: "arn:aws:sns:eu-west-1:000000000000:none" };
    await expect(addDestination(set, "d", { SnsDestination: missing })).rejects.toBeInstanceOf(BadRequestException);
    const closed = { TopicArn: await aTopic(running, { Policy: '{"Statement":[]}' }) };
    await expect(addDestination(set, "d", { SnsDestination: closed })).rejects.toThrow(
      /policy does not allow ses.amazonaws.com/,
    );
  });
});
