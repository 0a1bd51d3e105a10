import {
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  PutConfigurationSetSuppressionOptionsCommand,
  SESv2Client,
  UpdateConfigurationSetEventDestinationCommand,
} from "@aws-sdk/client-sesv2";
import { clientSettings } from "../client-settings.ts";
import { type Ask, createAsk } from "../control-call.ts";
import { eventDestination, eventDestinationName } from "./configuration-set-calls.ts";

/** What only `postern aws` asks of SES, and a running Postern never. */
export interface SetUpCalls {
  client: SESv2Client;
  ask: Ask;
}

export function setUpCalls(region: string, endpoint: string | undefined): SetUpCalls {
  const timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };
  const client = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts }));
  return { client, ask: createAsk(timeouts.requestMs) };
}

/** Makes an existing destination what a new one would be. */
export async function restoreEventDestination({ client, ask }: SetUpCalls, setName: string, topicArn: string) {
  const command = new UpdateConfigurationSetEventDestinationCommand({
    ConfigurationSetName: setName,
    EventDestinationName: eventDestinationName,
    EventDestination: eventDestination(topicArn),
  });
  await ask((deadline) => client.send(command, deadline));
}

export async function switchSuppressionOff({ client, ask }: SetUpCalls, setName: string): Promise<void> {
  const command = new PutConfigurationSetSuppressionOptionsCommand({
    ConfigurationSetName: setName,
    SuppressedReasons: [],
  });
  await ask((deadline) => client.send(command, deadline));
}

/** Undefined when there is no such set. */
export async function findConfigurationSet({ client, ask }: SetUpCalls, setName: string) {
  const command = new GetConfigurationSetCommand({ ConfigurationSetName: setName });
  return await ask((deadline) => client.send(command, deadline), { NotFoundException: undefined });
}

export async function listEventDestinations({ client, ask }: SetUpCalls, setName: string) {
  const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: setName });
  const { EventDestinations = [] } = await ask((deadline) => client.send(command, deadline));
  return EventDestinations;
}
