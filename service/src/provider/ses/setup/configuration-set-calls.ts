import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  type EventDestinationDefinition,
  type EventType,
  GetConfigurationSetCommand,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { EmailProvider } from "../../email-provider.ts";
import type { Ask } from "../control-call.ts";

type ConfigurationSetCalls = Pick<
  EmailProvider,
  "createConfigurationSet" | "createEventDestination" | "hasConfigurationSet"
>;

/** Everything that becomes of a mail. OPEN and CLICK are left out: asking for them makes SES rewrite bodies. */
export const reportedEvents: EventType[] = [
  "SEND",
  "REJECT",
  "BOUNCE",
  "COMPLAINT",
  "DELIVERY",
  "DELIVERY_DELAY",
  "RENDERING_FAILURE",
];

export const eventDestinationName = "postern";

export function configurationSetCalls(client: SESv2Client, ask: Ask): ConfigurationSetCalls {
  const exists = { AlreadyExistsException: "exists" as const };
  return {
    async createConfigurationSet(name) {
      const command = new CreateConfigurationSetCommand({
        ConfigurationSetName: name,
        // Off, because Postern keeps the list: at SES one customer's bounce would silence all others to that address.
        SuppressionOptions: { SuppressedReasons: [] },
        ReputationOptions: { ReputationMetricsEnabled: true },
        SendingOptions: { SendingEnabled: true },
      });
      return (await ask((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
    },
    async createEventDestination(configurationSetName, topicArn) {
      const command = new CreateConfigurationSetEventDestinationCommand({
        ConfigurationSetName: configurationSetName,
        EventDestinationName: eventDestinationName,
        EventDestination: eventDestination(topicArn),
      });
      return (await ask((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
    },
    async hasConfigurationSet(name) {
      const command = new GetConfigurationSetCommand({ ConfigurationSetName: name });
      return (await ask((deadline) => client.send(command, deadline), { NotFoundException: false })) !== false;
    },
  };
}

export function eventDestination(topicArn: string): EventDestinationDefinition {
  return { Enabled: true, MatchingEventTypes: reportedEvents, SnsDestination: { TopicArn: topicArn } };
}
