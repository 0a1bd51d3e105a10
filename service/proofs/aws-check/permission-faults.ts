import { type Fault, shortTimeoutMs } from "./fault.ts";

/** An action that AWS denies, the finding that names it, and what else fails because of it. */
const deniedActions: [action: string, check: string, consequences?: string[]][] = [
  ["ses:GetAccount", "call"],
  ["ses:GetConfigurationSet", "call"],
  ["ses:GetConfigurationSetEventDestinations", "call"],
  ["ses:GetEmailIdentity", "call"],
  ["sns:GetTopicAttributes", "call"],
  ["sns:ListSubscriptionsByTopic", "call", ["check.queue"]],
  ["sqs:GetQueueAttributes", "call"],
  ["ses:ListEmailIdentities", "permission.ses:ListEmailIdentities"],
  ["ses:CreateEmailIdentity", "permission.ses:CreateEmailIdentity"],
  ["ses:DeleteEmailIdentity", "permission.ses:DeleteEmailIdentity"],
  ["ses:PutEmailIdentityMailFromAttributes", "permission.ses:PutEmailIdentityMailFromAttributes"],
  ["ses:DeleteSuppressedDestination", "permission.ses:DeleteSuppressedDestination"],
  ["sqs:ReceiveMessage", "permission.sqs:ReceiveMessage", ["check.queue"]],
  ["sqs:CreateQueue", "check.queue"],
  ["sns:Subscribe", "check.queue"],
];

export const permissionFaults: Fault[] = [
  ...deniedActions.map(([action, check, consequences = []]): Fault => {
    const operation = action.slice(4);
    return {
      name: `the permission ${action} is missing`,
      inject: (aws) => aws.deny(operation),
      check,
      fix: new RegExp(`lack the permission ${action}: grant it`),
      consequences,
      timeoutMs: shortTimeoutMs,
    };
  }),
  {
    name: "the permission sqs:DeleteMessage is missing",
    inject: (aws) => aws.deny("DeleteMessageBatch"),
    check: "permission.sqs:DeleteMessage",
    fix: /lack the permission sqs:DeleteMessage/,
    timeoutMs: shortTimeoutMs,
  },
  {
    name: "the permission sns:ConfirmSubscription is missing, without a queue",
    inject: (aws) => aws.deny("ConfirmSubscription"),
    settings: { AWS_FEEDBACK_QUEUE_URL: undefined },
    check: "permission.sns:ConfirmSubscription",
    fix: /lack the permission sns:ConfirmSubscription/,
    consequences: ["subscription"],
  },
  {
    name: "the permission ses:SendEmail is missing",
    inject: (aws) => aws.control("POST", "rules", { fault: { kind: "access-denied" } }),
    check: "mail.success",
    fix: /grant ses:SendEmail/,
  },
  {
    name: "the permission ses:SendRawEmail is missing for attachments",
    inject: (aws) =>
      aws.control("POST", "rules", {
        match: { recipient: "success+attachment@simulator.amazonses.com" },
        fault: { kind: "access-denied" },
      }),
    check: "mail.attachment",
    fix: /grant ses:SendRawEmail/,
  },
  {
    name: "the permission for tenants is missing",
    inject: (aws) => aws.deny("CreateTenantResourceAssociation"),
    settings: { SES_TENANTS: "prepare" },
    check: "permission.ses:CreateTenantResourceAssociation",
    fix: /lack the permission ses:CreateTenantResourceAssociation/,
  },
];
