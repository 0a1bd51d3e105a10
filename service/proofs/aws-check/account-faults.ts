import {
  DeleteConfigurationSetCommand,
  DeleteConfigurationSetEventDestinationCommand,
  PutConfigurationSetSendingOptionsCommand,
  PutConfigurationSetSuppressionOptionsCommand,
  UpdateConfigurationSetEventDestinationCommand,
} from "@aws-sdk/client-sesv2";
import { reportedEvents } from "../../src/provider/ses/setup/configuration-set-calls.ts";
import type { SimulatedAws } from "../../test/simulated-aws.ts";
import { type Fault, setUpFix, shortTimeoutMs } from "./fault.ts";

const set = { ConfigurationSetName: "postern-AA" };

const account = (change: object) => (aws: SimulatedAws) => aws.control("PATCH", "account", change);

function destination(change: { Enabled?: boolean; MatchingEventTypes?: typeof reportedEvents }) {
  return ({ ses, topicArn: TopicArn }: SimulatedAws) => {
    const EventDestination = {
      Enabled: true,
      MatchingEventTypes: reportedEvents,
      SnsDestination: { TopicArn },
      ...change,
    };
    const command = { ...set, EventDestinationName: "postern", EventDestination };
    return ses.send(new UpdateConfigurationSetEventDestinationCommand(command));
  };
}

export const accountFaults: Fault[] = [
  {
    name: "sending is disabled for the account",
    inject: account({ sendingEnabled: false }),
    check: "account.sending",
    fix: /enable it/,
  },
  {
    name: "the account is under review",
    inject: account({ enforcementStatus: "PROBATION" }),
    check: "account.enforcement",
    fix: /Reputation metrics/,
  },
  {
    name: "the daily quota is used up",
    inject: account({ max24HourSend: 0 }),
    check: "account.quota",
    fix: /request a higher quota/,
  },
  {
    name: "SES reports a reputation finding",
    inject: account({ recommendations: [{ type: "BOUNCE", impact: "HIGH", resourceArn: "arn:x" }] }),
    check: "reputation",
    fix: /Advisor/,
  },
  {
    name: "the account is in the sandbox",
    inject: account({ productionAccess: false }),
    check: "account.production",
    fix: /production access/,
    state: "note",
  },
];

export const configurationSetFaults: Fault[] = [
  {
    name: "the configuration set is missing",
    inject: ({ ses }) => ses.send(new DeleteConfigurationSetCommand(set)),
    check: "configuration-set",
    fix: setUpFix,
  },
  {
    name: "SES applies its suppression list",
    inject: ({ ses }) =>
      ses.send(new PutConfigurationSetSuppressionOptionsCommand({ ...set, SuppressedReasons: ["BOUNCE"] })),
    check: "configuration-set.suppression",
    fix: setUpFix,
  },
  {
    name: "sending is disabled for the configuration set",
    inject: ({ ses }) => ses.send(new PutConfigurationSetSendingOptionsCommand({ ...set, SendingEnabled: false })),
    check: "configuration-set.sending",
    fix: /enable it in the SES console/,
  },
  {
    name: "there is no event destination",
    inject: ({ ses }) =>
      ses.send(new DeleteConfigurationSetEventDestinationCommand({ ...set, EventDestinationName: "postern" })),
    check: "events",
    fix: setUpFix,
  },
  {
    name: "the event destination is disabled",
    inject: destination({ Enabled: false }),
    check: "events",
    fix: setUpFix,
  },
  {
    name: "SES does not publish bounces",
    inject: destination({ MatchingEventTypes: reportedEvents.filter((type) => type !== "BOUNCE") }),
    check: "events.types",
    fix: setUpFix,
    consequences: ["mail.bounce", "mail.suppressionlist"],
    timeoutMs: shortTimeoutMs,
  },
];
