import { parseArgs } from "node:util";
import { loadEnvironment, readConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { AwsActionError } from "../provider/ses/setup/aws-action.ts";
import { sesPauseMs } from "../provider/ses/setup/call-pace.ts";
import { checkUp, isStranger } from "../provider/ses/setup/check-up.ts";
import type { Finding } from "../provider/ses/setup/check-up-context.ts";
import { accountPlaceholder, runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";
import { plannedSteps, type SetUpResult, setUp } from "../provider/ses/setup/set-up.ts";

const help = `Usage: postern aws <command> [options]

  setup              make what tells Postern what became of mail: SNS topic, SQS queues, SES configuration set; may be repeated
  setup --dry-run    show what it would make and the permissions to grant, and call nothing
  doctor             look at all of it, say what is wrong and how to mend it; ends with 1 when something is

AWS credentials are found as by every AWS tool: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.`;

const notes = { done: "", created: "", exists: " (was there already)" };

const signs = { ok: "✓", note: "!", problem: "✗" };

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
  // A topic from before, perhaps of another region, must not keep anyone from making a new one.
  const earlier = { AWS_FEEDBACK_TOPIC_ARN: undefined, AWS_FEEDBACK_QUEUE_URL: undefined };
  const { cellCode, provider } = readConfig({ ...loadEnvironment(), ...earlier });
  const { region, endpoints } = provider;
  if (isDryRun) return showPlan(cellCode, region);
  const made = await showEach(setUp({ cellCode, region, endpoints, pauseMs: pauseFor(provider) })).catch(explain);
  say("\nPut these lines into .env:\n");
  say(`AWS_FEEDBACK_TOPIC_ARN=${made.topicArn}`);
  say(`AWS_FEEDBACK_QUEUE_URL=${made.queueUrl}`);
}

function pauseFor({ kind }: { kind: "ses" | "simulator" }): number {
  return kind === "ses" ? sesPauseMs : 0;
}

function showPlan(cellCode: string, region: string): void {
  say(`Would make at AWS, in ${region}:`);
  for (const { what, action } of plannedSteps(cellCode)) say(`- ${what} (${action})`);
  say(`\nIAM policy for whoever runs \`postern aws\` (${accountPlaceholder} is the AWS account, 12 digits):\n`);
  say(JSON.stringify(setUpPolicy(cellCode, region), undefined, 2));
  say("\nIAM policy for the running Postern, API and worker:\n");
  say(JSON.stringify(runTimePolicy(cellCode, region), undefined, 2));
  say("\nNothing was called.");
}

async function showEach(steps: ReturnType<typeof setUp>): Promise<SetUpResult> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    say(`✓ ${step.value.what}${notes[step.value.outcome]}`);
  }
}

async function runDoctor(): Promise<void> {
  const { cellCode, provider } = readConfig(loadEnvironment());
  const { region, endpoints, feedbackTopicArn: topicArn, feedbackQueueUrl: queueUrl } = provider;
  let problems = 0;
  for await (const finding of checkUp({
    cellCode,
    region,
    endpoints,
    topicArn,
    queueUrl,
    pauseMs: pauseFor(provider),
  })) {
    if (finding.state === "problem") problems++;
    say(`${signs[finding.state]} ${finding.what}${adviceText(finding)}`);
  }
  say(problems === 0 ? "\nNothing is wrong." : `\n${problems === 1 ? "1 problem" : `${problems} problems`}.`);
  if (problems > 0) process.exitCode = 1;
}

function adviceText({ advice }: Finding): string {
  if (advice === undefined) return "";
  if (typeof advice === "string") return `\n  → ${advice}`;
  return `\n  → ${adviceFor(advice)}\n  AWS: ${advice.message}`;
}

/** The steps before stay done, so every sentence may end with running it again. */
function explain(error: unknown): never {
  if (!(error instanceof AwsActionError)) throw error;
  const again = "and run `postern aws setup` again; what is done stays done.";
  throw new AppError("UNAVAILABLE", `✗ ${adviceFor(error)}, ${again}\n  AWS: ${error.message}`, { cause: error });
}

function adviceFor(error: AwsActionError): string {
  const { action, reason } = error;
  switch (reason.kind) {
    case "denied":
      return isStranger(error)
        ? "There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, check the clock"
        : `The AWS credentials may not do ${action}: allow it to them`;
    case "throttled":
      return `AWS is asked too often for ${action}: wait a minute`;
    case "unavailable":
      return `AWS did not answer ${action}: check AWS_REGION and the network`;
    case "limit-reached":
      return `The AWS account has no room for more (${action}): remove what is unused or ask AWS for a higher limit`;
    case "invalid":
      return `AWS refuses ${action} as it is: correct what it says`;
  }
}

function readOptions<Options extends Record<string, { type: "boolean" }>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new AppError("VALIDATION_ERROR", `${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
