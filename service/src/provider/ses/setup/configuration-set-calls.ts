import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  type EventDestinationDefinition,
  type EventType,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { EmailProvider } from "../../email-provider.ts";
import type { ControlCall } from "../control-call.ts";

type ConfigurationSetCalls = Pick<EmailProvider, "createConfigurationSet" | "createEventDestination">;

/** Every event about the outcome of a mail. OPEN and CLICK are absent because they make SES rewrite mail bodies. */
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

export function configurationSetCalls(client: SESv2Client, call: ControlCall): ConfigurationSetCalls {
  const exists = { AlreadyExistsException: "exists" as const };
  return {
    async createConfigurationSet(name) {
      const command = new CreateConfigurationSetCommand({
        ConfigurationSetName: name,
        // Postern keeps a list per account. On SES's list a bounce of one account would block the address for all
        // accounts.
        SuppressionOptions: { SuppressedReasons: [] },
        ReputationOptions: { ReputationMetricsEnabled: true },
        SendingOptions: { SendingEnabled: true },
      });
      return (await call((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
    },
    async createEventDestination(configurationSetName, topicArn) {
      const command = new CreateConfigurationSetEventDestinationCommand({
        ConfigurationSetName: configurationSetName,
        EventDestinationName: eventDestinationName,
        EventDestination: eventDestination(topicArn),
      });
      return (await call((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
    },
  };
}

export function eventDestination(topicArn: string): EventDestinationDefinition {
  return { Enabled: true, MatchingEventTypes: reportedEvents, SnsDestination: { TopicArn: topicArn } };
}
