import type { Quota } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { isSamePolicy, topicPolicy } from "./access-policies.ts";
import { AwsActionError, hasInvalidCredentials, withActionName } from "./aws-action.ts";
import { checkQueue, checkSubscription } from "./check-queue.ts";
import { checkReputation, enforcementFindings } from "./check-reputation.ts";
import { reportedEvents } from "./configuration-set-calls.ts";
import { type Finding, note, ok, problem, setUpAdvice } from "./finding.ts";
import { findConfigurationSet, listEventDestinations, listTenants } from "./set-up-calls.ts";
import { createSetUpCheckContext, type SetUpCheckContext, type SetUpCheckOptions } from "./set-up-check-context.ts";
import { findTopicAttributes } from "./topic-calls.ts";

/**
 * Checks every AWS resource of this installation and changes none. Stops early only when AWS rejects the credentials.
 */
export async function* checkSetUp(
  options: SetUpCheckOptions,
  context: SetUpCheckContext = createSetUpCheckContext(options),
): AsyncGenerator<Finding> {
  for (const [subject, check] of checks) {
    const findings = await withFailure(subject, () => check(context));
    yield* findings;
    if (findings.some(({ advice }) => advice instanceof AwsActionError && hasInvalidCredentials(advice))) return;
  }
}

const checks: [subject: string, check: (context: SetUpCheckContext) => Promise<Finding[]>][] = [
  ["the SES account", checkAccount],
  ["the reputation", checkReputation],
  ["the tenants", checkTenants],
  ["the configuration set", checkConfigurationSet],
  ["its event destination", checkEventDestination],
  ["the SNS topic", checkTopic],
  ["the SQS queue", checkQueue],
  ["the subscription", checkSubscription],
];

/** A failed call becomes a finding, so that the other checks still run. */
export async function withFailure(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AwsActionError)) throw error;
    return [{ check: "call", state: "problem", what: `${subject} cannot be checked`, advice: error }];
  }
}

async function checkAccount({ options: { region, endpoints }, rateLimited }: SetUpCheckContext): Promise<Finding[]> {
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: "", partition: "" });
  const quota = await withActionName("ses:GetAccount", () => rateLimited(() => provider.readQuota()));
  return [
    ok(
      "account",
      `SES answers in ${region}${endpoints.ses === undefined ? "" : ` at ${endpoints.ses}`} and accepts the credentials`,
    ),
    quotaFinding(quota),
    quota.isSendingEnabled
      ? ok("account.sending", "sending is enabled")
      : problem(
          "account.sending",
          "sending is disabled for the AWS account",
          "ask AWS in the SES console to enable it",
        ),
    quota.isProduction
      ? ok("account.production", "production access is granted")
      : note(
          "account.production",
          "the account is in the SES sandbox and may send only to verified addresses",
          "request production access in the SES console",
        ),
    ...enforcementFindings(quota),
  ];
}

async function checkTenants({ options, ses, rateLimited }: SetUpCheckContext): Promise<Finding[]> {
  if (options.hasTenants !== true) return [];
  await withActionName("ses:ListTenants", () => rateLimited(() => listTenants(ses)));
  return [ok("tenants", "SES offers tenants")];
}

function quotaFinding(quota: Quota): Finding {
  const { perDay, usedToday } = quota;
  if (perDay === undefined || usedToday < perDay) return ok("account.quota", quotaText(quota));
  const advice = "wait until the mails of the last 24 hours are older, or request a higher quota in the SES console";
  return problem("account.quota", `the quota of 24 hours is used up: ${usedToday} of ${perDay} recipients`, advice);
}

function quotaText({ perSecond, perDay, usedToday }: Quota): string {
  const perDayText = perDay === undefined ? "any number" : String(perDay);
  return `quota: ${perSecond} recipients a second, ${perDayText} in 24 hours, ${usedToday} used`;
}

async function checkConfigurationSet(context: SetUpCheckContext): Promise<Finding[]> {
  const { setName, ses, rateLimited } = context;
  const set = await withActionName("ses:GetConfigurationSet", () =>
    rateLimited(() => findConfigurationSet(ses, setName)),
  );
  context.hasConfigurationSet = set !== undefined;
  if (set === undefined) return [problem("configuration-set", `there is no configuration set ${setName}`, setUpAdvice)];
  const isSuppressing = set.SuppressionOptions?.SuppressedReasons?.length !== 0;
  return [
    ok("configuration-set", `configuration set ${setName}`),
    isSuppressing
      ? problem(
          "configuration-set.suppression",
          "SES applies its own suppression list to it, so a bounce of one account blocks that address for all accounts",
          setUpAdvice,
        )
      : ok("configuration-set.suppression", "SES applies no suppression list of its own to it"),
    set.SendingOptions?.SendingEnabled === false
      ? problem(
          "configuration-set.sending",
          "sending is disabled for it",
          "find out why it was disabled, then enable it in the SES console",
        )
      : ok("configuration-set.sending", "sending is enabled for it"),
  ];
}

async function checkEventDestination(context: SetUpCheckContext): Promise<Finding[]> {
  const { options, setName, ses, rateLimited } = context;
  const { topicArn } = options;
  if (topicArn === undefined || !context.hasConfigurationSet) return [];
  const action = "ses:GetConfigurationSetEventDestinations";
  const listed = await withActionName(action, () => rateLimited(() => listEventDestinations(ses, setName)));
  const ours = listed.find(({ SnsDestination }) => SnsDestination?.TopicArn === topicArn);
  if (ours === undefined) return [problem("events", `SES publishes no event to ${topicArn}`, setUpAdvice)];
  if (ours.Enabled !== true) return [problem("events", "the event destination is disabled", setUpAdvice)];
  const published = ours.MatchingEventTypes ?? [];
  const missing = reportedEvents.filter((type) => !published.includes(type));
  const tracking = published.filter((type) => type === "OPEN" || type === "CLICK");
  return [
    missing.length > 0
      ? problem("events.types", `SES does not publish ${missing.join(", ")}`, setUpAdvice)
      : ok("events", "its events go to the topic"),
    ...(tracking.length > 0
      ? [problem("events.tracking", `SES rewrites mail bodies for ${tracking.join(", ")}`, setUpAdvice)]
      : []),
  ];
}

async function checkTopic(context: SetUpCheckContext): Promise<Finding[]> {
  const { options, setName, topics } = context;
  const { topicArn } = options;
  if (topicArn === undefined) {
    return [
      problem(
        "topic",
        "AWS_FEEDBACK_TOPIC_ARN is not set",
        `${setUpAdvice} and put the lines that it prints into .env`,
      ),
    ];
  }
  const attributes = await withActionName("sns:GetTopicAttributes", () => findTopicAttributes(topics, topicArn));
  context.hasTopic = attributes !== undefined;
  if (attributes === undefined) return [problem("topic", `there is no topic ${topicArn}`, setUpAdvice)];
  return [
    ok("topic", `topic ${topicArn}`),
    attributes.SignatureVersion === "2"
      ? ok("topic.signature", "its messages are signed with SHA-256")
      : problem(
          "topic.signature",
          "its messages are signed with SHA-1, and Postern refuses such messages by push",
          setUpAdvice,
        ),
    isSamePolicy(attributes.Policy, topicPolicy(topicArn, setName))
      ? ok("topic.policy", "only SES may publish to it")
      : problem("topic.policy", "its policy does not allow exactly SES to publish to it", setUpAdvice),
    ...encryptionFindings(attributes.KmsMasterKeyId),
  ];
}

/** The policy of a key that AWS manages cannot be changed, and it does not let SES use the key. */
function encryptionFindings(keyId = ""): Finding[] {
  if (!keyId.endsWith("alias/aws/sns")) return [];
  return [
    problem(
      "topic.encryption",
      "it is encrypted with the key alias/aws/sns, with which SES cannot publish to it",
      "in the SNS console, switch the encryption off, or choose a key of your own that ses.amazonaws.com may use",
    ),
  ];
}
