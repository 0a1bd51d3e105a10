import { type EventType, UpdateConfigurationSetEventDestinationCommand } from "@aws-sdk/client-sesv2";
import { configurationSetNameOf } from "../../src/provider/cell-names.ts";
import {
  eventDestination,
  eventDestinationName,
  reportedEvents,
} from "../../src/provider/ses/setup/configuration-set-calls.ts";
import { setUpCalls } from "../../src/provider/ses/setup/set-up-calls.ts";

/** Limits the events that SES reports, as if an operator had changed the event destination by hand. */
export async function reportOnly(
  { region, url, topicArn, cellCode = "AA" }: { region: string; url: string; topicArn: string; cellCode?: string },
  isReported: (type: EventType) => boolean,
): Promise<void> {
  const { client } = setUpCalls(region, url);
  await client.send(
    new UpdateConfigurationSetEventDestinationCommand({
      ConfigurationSetName: configurationSetNameOf(cellCode),
      EventDestinationName: eventDestinationName,
      EventDestination: { ...eventDestination(topicArn), MatchingEventTypes: reportedEvents.filter(isReported) },
    }),
  );
  client.destroy();
}
