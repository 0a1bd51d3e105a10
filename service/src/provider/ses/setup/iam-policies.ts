import { configurationSetNameOf, deadQueueNameOf, queueNameOf, topicNameOf } from "../../cell-names.ts";

interface IamPolicy {
  Version: "2012-10-17";
  Statement: { Effect: "Allow"; Action: string[]; Resource: string | string[] }[];
}

/** Stands for the account, which nobody was asked for. */
export const accountPlaceholder = "ACCOUNT_ID";

/** The least that `postern aws setup` and `postern aws doctor` need. */
export function setUpPolicy(cellCode: string, region: string): IamPolicy {
  const arn = arnsIn(cellCode, region);
  return {
    Version: "2012-10-17",
    Statement: [
      allow(
        [
          "sns:CreateTopic",
          "sns:SetTopicAttributes",
          "sns:GetTopicAttributes",
          "sns:Subscribe",
          "sns:ListSubscriptionsByTopic",
        ],
        arn.topic,
      ),
      // A subscription is no resource that a policy can name.
      allow(["sns:GetSubscriptionAttributes", "sns:SetSubscriptionAttributes"], "*"),
      allow(
        ["sqs:CreateQueue", "sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:SetQueueAttributes"],
        [arn.queue, arn.deadQueue],
      ),
      allow(
        [
          "ses:CreateConfigurationSet",
          "ses:GetConfigurationSet",
          "ses:PutConfigurationSetSuppressionOptions",
          "ses:CreateConfigurationSetEventDestination",
          "ses:GetConfigurationSetEventDestinations",
          "ses:UpdateConfigurationSetEventDestination",
        ],
        arn.configurationSet,
      ),
      allow(["ses:GetAccount"], "*"),
    ],
  };
}

/** The least that a running Postern needs. Domains are registered while it runs, so their identities have no names yet. */
export function runTimePolicy(cellCode: string, region: string): IamPolicy {
  const arn = arnsIn(cellCode, region);
  return {
    Version: "2012-10-17",
    Statement: [
      allow(
        ["ses:SendEmail", "ses:CreateEmailIdentity", "ses:GetEmailIdentity", "ses:DeleteEmailIdentity"],
        [arn.identities, arn.configurationSet],
      ),
      allow(["ses:GetConfigurationSet"], arn.configurationSet),
      allow(["ses:GetAccount", "ses:ListEmailIdentities", "ses:DeleteSuppressedDestination"], "*"),
      // A batch needs the permission of the single operation.
      allow(["sqs:ReceiveMessage", "sqs:DeleteMessage"], arn.queue),
      allow(["sns:ConfirmSubscription"], arn.topic),
    ],
  };
}

function allow(Action: string[], Resource: string | string[]): IamPolicy["Statement"][number] {
  return { Effect: "Allow", Action, Resource };
}

function arnsIn(cellCode: string, region: string) {
  const arn = (service: string, name: string) =>
    `arn:${partitionOf(region)}:${service}:${region}:${accountPlaceholder}:${name}`;
  return {
    topic: arn("sns", topicNameOf(cellCode)),
    queue: arn("sqs", queueNameOf(cellCode)),
    deadQueue: arn("sqs", deadQueueNameOf(cellCode)),
    configurationSet: arn("ses", `configuration-set/${configurationSetNameOf(cellCode)}`),
    identities: arn("ses", "identity/*"),
  };
}

function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
