import type { Quota } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { isSamePolicy, topicPolicy } from "./access-policies.ts";
import { AwsActionError, naming } from "./aws-action.ts";
import { checkQueue, checkSubscription } from "./check-queue.ts";
import {
  type CheckUpContext,
  type CheckUpOptions,
  contextOf,
  type Finding,
  note,
  ok,
  problem,
  setUpAgain,
} from "./check-up-context.ts";
import { reportedEvents } from "./configuration-set-calls.ts";
import { findConfigurationSet, listEventDestinations } from "./set-up-calls.ts";
import { findTopicAttributes } from "./topic-calls.ts";

/** Looks at everything between SES and this installation, and changes nothing. Stops early only without credentials. */
export async function* checkUp(options: CheckUpOptions): AsyncGenerator<Finding> {
  const context = contextOf(options);
  for (const [subject, check] of checks) {
    const findings = await run(subject, () => check(context));
    yield* findings;
    if (findings.some(({ advice }) => advice instanceof AwsActionError && isStranger(advice))) return;
  }
}

/** AWS does not know who asks, as opposed to knowing and refusing. */
export function isStranger({ reason }: AwsActionError): boolean {
  return reason.kind === "denied" && !/^(AccessDenied|AuthorizationError|NotAuthorized)/.test(reason.message);
}

const checks: [subject: string, check: (context: CheckUpContext) => Promise<Finding[]>][] = [
  ["the SES account", checkAccount],
  ["the configuration set", checkConfigurationSet],
  ["its event destination", checkEventDestination],
  ["the SNS topic", checkTopic],
  ["the SQS queue", checkQueue],
  ["the subscription", checkSubscription],
];

async function run(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AwsActionError)) throw error;
    return [{ state: "problem", what: `${subject} could not be looked at`, advice: error }];
  }
}

async function checkAccount({ options: { region, endpoints }, pace }: CheckUpContext): Promise<Finding[]> {
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: "", partition: "" });
  const quota = await naming("ses:GetAccount", () => pace(() => provider.readQuota()));
  return [
    ok(
      `SES answers in ${region}${endpoints.ses === undefined ? "" : ` at ${endpoints.ses}`} and knows the credentials`,
    ),
    ok(quotaText(quota)),
    quota.isSendingEnabled
      ? ok("sending is enabled")
      : problem("sending is disabled for the AWS account", "ask AWS in the SES console why, and have it enabled"),
    quota.isProduction
      ? ok("production access is granted")
      : note(
          "the account is in the SES sandbox and mails only verified addresses",
          "request production access in the SES console",
        ),
  ];
}

function quotaText({ perSecond, perDay, usedToday }: Quota): string {
  const perDayText = perDay === undefined ? "any number" : String(perDay);
  return `quota: ${perSecond} recipients a second, ${perDayText} in 24 hours, ${usedToday} used`;
}

async function checkConfigurationSet(context: CheckUpContext): Promise<Finding[]> {
  const { setName, ses, pace } = context;
  const set = await naming("ses:GetConfigurationSet", () => pace(() => findConfigurationSet(ses, setName)));
  context.hasConfigurationSet = set !== undefined;
  if (set === undefined) return [problem(`there is no configuration set ${setName}`, setUpAgain)];
  const isSuppressing = set.SuppressionOptions?.SuppressedReasons?.length !== 0;
  return [
    ok(`configuration set ${setName}`),
    isSuppressing
      ? problem(
          "SES keeps a suppression list of its own for it, so one account's bounce silences all others",
          setUpAgain,
        )
      : ok("SES keeps no suppression list of its own for it"),
    set.SendingOptions?.SendingEnabled === false
      ? problem("sending is disabled for it", "enable it in the SES console; whoever disabled it had a reason")
      : ok("sending is enabled for it"),
  ];
}

async function checkEventDestination(context: CheckUpContext): Promise<Finding[]> {
  const { options, setName, ses, pace } = context;
  const { topicArn } = options;
  if (topicArn === undefined || !context.hasConfigurationSet) return [];
  const action = "ses:GetConfigurationSetEventDestinations";
  const listed = await naming(action, () => pace(() => listEventDestinations(ses, setName)));
  const ours = listed.find(({ SnsDestination }) => SnsDestination?.TopicArn === topicArn);
  if (ours === undefined) return [problem(`no event goes to ${topicArn}`, setUpAgain)];
  if (ours.Enabled !== true) return [problem("the event destination is disabled", setUpAgain)];
  const told = ours.MatchingEventTypes ?? [];
  const missing = reportedEvents.filter((type) => !told.includes(type));
  const harmful = told.filter((type) => type === "OPEN" || type === "CLICK");
  return [
    missing.length > 0
      ? problem(`SES does not tell ${missing.join(", ")}`, setUpAgain)
      : ok("its events go to the topic"),
    ...(harmful.length > 0 ? [problem(`SES rewrites bodies of mails for ${harmful.join(", ")}`, setUpAgain)] : []),
  ];
}

async function checkTopic(context: CheckUpContext): Promise<Finding[]> {
  const { options, setName, topics } = context;
  const { topicArn } = options;
  if (topicArn === undefined) {
    return [problem("AWS_FEEDBACK_TOPIC_ARN is not set", `${setUpAgain} and put what it prints into .env`)];
  }
  const attributes = await naming("sns:GetTopicAttributes", () => findTopicAttributes(topics, topicArn));
  context.hasTopic = attributes !== undefined;
  if (attributes === undefined) return [problem(`there is no topic ${topicArn}`, setUpAgain)];
  return [
    ok(`topic ${topicArn}`),
    attributes.SignatureVersion === "2"
      ? ok("its messages are signed with SHA-256")
      : problem("its messages are signed with SHA-1, which pushed ones are refused for", setUpAgain),
    isSamePolicy(attributes.Policy, topicPolicy(topicArn, setName))
      ? ok("only SES may publish to it")
      : problem("its policy is not the one that lets SES in, and nobody else", setUpAgain),
  ];
}
