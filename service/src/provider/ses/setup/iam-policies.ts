import {
  checkQueueNameOf,
  configurationSetNameOf,
  deadLetterQueueNameOf,
  queueNameOf,
  tenantNameOf,
  topicNameOf,
} from "../../cell-names.ts";

interface IamPolicy {
  Version: "2012-10-17";
  Statement: { Effect: "Allow"; Action: string[]; Resource: string | string[] }[];
}

/** The operator replaces it with the AWS account id, which `postern aws setup --dry-run` does not know. */
export const accountPlaceholder = "ACCOUNT_ID";

/**
 * The minimum permissions for `postern aws setup`, `postern aws doctor` and the import of the suppression list of SES. `postern aws check`
 * needs them together with those of the running service.
 */
export function setUpPolicy(cellCode: string, region: string, { hasTenants = false } = {}): IamPolicy {
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
      // An IAM policy cannot name a subscription as a resource. `postern aws check` ends its own.
      allow(["sns:GetSubscriptionAttributes", "sns:SetSubscriptionAttributes", "sns:Unsubscribe"], "*"),
      allow(
        ["sqs:CreateQueue", "sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:SetQueueAttributes"],
        [arn.queue, arn.deadLetterQueue],
      ),
      // The temporary queue of `postern aws check`.
      allow(
        ["sqs:CreateQueue", "sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:DeleteQueue"],
        arn.checkQueues,
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
      allow(
        [
          "ses:GetAccount",
          "ses:ListRecommendations",
          // For `postern admin import-suppressions --from ses`.
          "ses:ListSuppressedDestinations",
          ...(hasTenants ? ["ses:ListTenants"] : []),
        ],
        "*",
      ),
    ],
  };
}

/**
 * The minimum permissions for a running Postern. It allows all identities, because customers register domains later.
 */
export function runTimePolicy(cellCode: string, region: string, { hasTenants = false } = {}): IamPolicy {
  const arn = arnsIn(cellCode, region);
  return {
    Version: "2012-10-17",
    Statement: [
      allow(
        [
          "ses:SendEmail",
          // AWS does not document whether SendEmail needs it for attachments.
          "ses:SendRawEmail",
          "ses:CreateEmailIdentity",
          "ses:GetEmailIdentity",
          "ses:DeleteEmailIdentity",
          "ses:PutEmailIdentityMailFromAttributes",
        ],
        [arn.identities, arn.configurationSet],
      ),
      allow(
        ["ses:GetAccount", "ses:ListRecommendations", "ses:ListEmailIdentities", "ses:DeleteSuppressedDestination"],
        "*",
      ),
      ...(hasTenants
        ? [
            allow(["ses:SendEmail"], arn.tenants),
            allow(
              ["ses:CreateTenant", "ses:CreateTenantResourceAssociation", "ses:DeleteTenantResourceAssociation"],
              "*",
            ),
          ]
        : []),
      // A batch operation needs the permission for the single operation.
      allow(["sqs:ReceiveMessage", "sqs:DeleteMessage"], arn.queue),
      // For the metrics of the queue and its dead letters.
      allow(["sqs:GetQueueAttributes"], [arn.queue, arn.deadLetterQueue]),
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
    deadLetterQueue: arn("sqs", deadLetterQueueNameOf(cellCode)),
    checkQueues: arn("sqs", checkQueueNameOf(cellCode, "*")),
    configurationSet: arn("ses", `configuration-set/${configurationSetNameOf(cellCode)}`),
    identities: arn("ses", "identity/*"),
    // The ARN of a tenant ends with an id that SES chooses.
    tenants: arn("ses", `tenant/${tenantNameOf(cellCode, "*")}`),
  };
}

function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
