import { parseArgs } from "node:util";
import { loadEnvironment, readConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { amountText, say } from "../plain-text.ts";
import { AwsActionError } from "../provider/ses/setup/aws-action.ts";
import { sesPauseMs } from "../provider/ses/setup/call-rate-limit.ts";
import { checkSetUp, hasInvalidCredentials } from "../provider/ses/setup/check-set-up.ts";
import type { Finding } from "../provider/ses/setup/finding.ts";
import { accountPlaceholder, runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";
import { plannedSteps, type SetUpResult, setUp } from "../provider/ses/setup/set-up.ts";

const help = `Usage: postern aws <command> [options]

  setup              create the SES configuration set, SNS topic and SQS queues that report events; safe to repeat
  setup --dry-run    print the resources and the permissions to grant, without calling AWS
  doctor             check these resources and print each problem with its fix; exit code 1 when there is a problem

AWS credentials come from the usual sources: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.`;

const outcomeTexts = { done: "", created: "", exists: " (already exists)" };

const marks = { ok: "✓", note: "!", problem: "✗" };

export async function runAws(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case undefined:
    case "--help":
    case "help":
      return say(help);
    case "setup":
      return runSetUp(readOptions(rest, { "dry-run": { type: "boolean" } })["dry-run"] === true);
    case "doctor":
      readOptions(rest, {});
      return runDoctor();
    default:
      throw new AppError("VALIDATION_ERROR", `There is no command "${command}".\n\n${help}`);
  }
}

async function runSetUp(isDryRun: boolean): Promise<void> {
  // Settings of an earlier set-up, perhaps in another region, must not prevent a new one.
  const earlier = { AWS_FEEDBACK_TOPIC_ARN: undefined, AWS_FEEDBACK_QUEUE_URL: undefined };
  const { cellCode, provider } = readConfig({ ...loadEnvironment(), ...earlier });
  const { region, endpoints } = provider;
  if (isDryRun) return printPlan(cellCode, region);
  const created = await printSteps(setUp({ cellCode, region, endpoints, pauseMs: pauseFor(provider) })).catch(
    explainFailure,
  );
  say("\nAdd these lines to .env:\n");
  say(`AWS_FEEDBACK_TOPIC_ARN=${created.topicArn}`);
  say(`AWS_FEEDBACK_QUEUE_URL=${created.queueUrl}`);
}

function pauseFor({ kind }: { kind: "ses" | "simulator" }): number {
  return kind === "ses" ? sesPauseMs : 0;
}

function printPlan(cellCode: string, region: string): void {
  say(`These resources would be created in ${region}:`);
  for (const { what, action } of plannedSteps(cellCode)) say(`- ${what} (${action})`);
  say(
    `\nIAM policy for the user who runs \`postern aws\` (replace ${accountPlaceholder} with the 12-digit AWS account id):\n`,
  );
  say(JSON.stringify(setUpPolicy(cellCode, region), undefined, 2));
  say("\nIAM policy for the API and worker processes:\n");
  say(JSON.stringify(runTimePolicy(cellCode, region), undefined, 2));
  say("\nNo AWS call was made.");
}

async function printSteps(steps: ReturnType<typeof setUp>): Promise<SetUpResult> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    say(`✓ ${step.value.what}${outcomeTexts[step.value.outcome]}`);
  }
}

async function runDoctor(): Promise<void> {
  const { cellCode, provider } = readConfig(loadEnvironment());
  const { region, endpoints, feedbackTopicArn: topicArn, feedbackQueueUrl: queueUrl } = provider;
  let problems = 0;
  for await (const finding of checkSetUp({
    cellCode,
    region,
    endpoints,
    topicArn,
    queueUrl,
    pauseMs: pauseFor(provider),
  })) {
    if (finding.state === "problem") problems++;
    say(`${marks[finding.state]} ${finding.what}${adviceText(finding)}`);
  }
  say(problems === 0 ? "\nNo problems found." : `\n${amountText(problems, "problem")} found.`);
  if (problems > 0) process.exitCode = 1;
}

function adviceText({ advice }: Finding): string {
  if (advice === undefined) return "";
  if (typeof advice === "string") return `\n  → ${advice}`;
  return `\n  → ${adviceFor(advice)}\n  AWS: ${advice.message}`;
}

/** Every step is safe to repeat, so the advice always ends with running the set-up again. */
function explainFailure(error: unknown): never {
  if (!(error instanceof AwsActionError)) throw error;
  const repeat = "Then run `postern aws setup` again; the finished steps are kept.";
  throw new AppError("UNAVAILABLE", `✗ ${adviceFor(error)}. ${repeat}\n  AWS: ${error.message}`, { cause: error });
}

function adviceFor(error: AwsActionError): string {
  const { action, reason } = error;
  switch (reason.kind) {
    case "denied":
      return hasInvalidCredentials(error)
        ? "There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and check the clock"
        : `The AWS credentials lack the permission ${action}: grant it`;
    case "throttled":
      return `AWS throttles ${action}: wait a minute`;
    case "unavailable":
      return `AWS did not answer ${action}: check AWS_REGION and the network`;
    case "limit-reached":
      return `The AWS account has reached a limit (${action}): delete unused resources or ask AWS for a higher limit`;
    case "invalid":
      return `AWS rejects ${action}: correct what its message below names`;
  }
}

function readOptions<Options extends Record<string, { type: "boolean" }>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new AppError("VALIDATION_ERROR", `${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}
