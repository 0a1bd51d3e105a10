import {
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  GetEmailIdentityCommand,
  ListTenantsCommand,
  PutConfigurationSetSuppressionOptionsCommand,
  SESv2Client,
  UpdateConfigurationSetEventDestinationCommand,
} from "@aws-sdk/client-sesv2";
import { clientSettings } from "../client-settings.ts";
import { type ControlCall, createControlCall } from "../control-call.ts";
import { eventDestination, eventDestinationName } from "./configuration-set-calls.ts";

/** The SES calls that only `postern aws` makes. */
export interface SetUpCalls {
  client: SESv2Client;
  call: ControlCall;
}

export function setUpCalls(region: string, endpoint: string | undefined): SetUpCalls {
  const timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };
  const client = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts }));
  return { client, call: createControlCall(timeouts.requestMs) };
}

/** Gives an existing destination the settings of a new one. */
export async function resetEventDestination({ client, call }: SetUpCalls, setName: string, topicArn: string) {
  const command = new UpdateConfigurationSetEventDestinationCommand({
    ConfigurationSetName: setName,
    EventDestinationName: eventDestinationName,
    EventDestination: eventDestination(topicArn),
  });
  await call((deadline) => client.send(command, deadline));
}

export async function disableSuppression({ client, call }: SetUpCalls, setName: string): Promise<void> {
  const command = new PutConfigurationSetSuppressionOptionsCommand({
    ConfigurationSetName: setName,
    SuppressedReasons: [],
  });
  await call((deadline) => client.send(command, deadline));
}

/** Returns undefined when there is no such configuration set. */
export async function findConfigurationSet({ client, call }: SetUpCalls, setName: string) {
  const command = new GetConfigurationSetCommand({ ConfigurationSetName: setName });
  return await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
}

/** Returns undefined when there is no such identity. */
export async function findEmailIdentity({ client, call }: SetUpCalls, domainName: string) {
  const command = new GetEmailIdentityCommand({ EmailIdentity: domainName });
  return await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
}

/** One page is enough: the caller wants to know whether it may list them. */
export async function listTenants({ client, call }: SetUpCalls) {
  return await call((deadline) => client.send(new ListTenantsCommand({ PageSize: 1 }), deadline));
}

export async function listEventDestinations({ client, call }: SetUpCalls, setName: string) {
  const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: setName });
  const { EventDestinations = [] } = await call((deadline) => client.send(command, deadline));
  return EventDestinations;
}
