import { loadEnvironment, readAwsConfig, readDoctorConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { amountText, say } from "../plain-text.ts";
import { AwsActionError, hasInvalidCredentials } from "../provider/ses/setup/aws-action.ts";
import { sesPauseMs } from "../provider/ses/setup/call-rate-limit.ts";
import { checkSetUp } from "../provider/ses/setup/check-set-up.ts";
import type { Finding } from "../provider/ses/setup/finding.ts";
import { accountPlaceholder, runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";
import { plannedSteps, type SetUpResult, setUp } from "../provider/ses/setup/set-up.ts";
import { colourMarks } from "./colour.ts";

const outcomeTexts = { done: "", created: "", exists: " (already exists)" };

const marks = { ok: "✓", note: "!", problem: "✗" };

export async function runSetUp(isDryRun: boolean): Promise<void> {
  const { cellCode, provider } = readAwsConfig(loadEnvironment());
  const { region, endpoints } = provider;
  if (isDryRun) return printPlan(cellCode, region, hasTenants(provider));
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

function hasTenants({ tenants }: { tenants: "off" | "prepare" | "on" }): boolean {
  return tenants !== "off";
}

function printPlan(cellCode: string, region: string, withTenants: boolean): void {
  say(`These resources would be created in ${region}:`);
  for (const { what, action } of plannedSteps(cellCode)) say(`- ${what} (${action})`);
  say(
    `\nIAM policy for the user who runs \`postern aws\` (replace ${accountPlaceholder} with the 12-digit AWS account id):\n`,
  );
  say(JSON.stringify(setUpPolicy(cellCode, region, { hasTenants: withTenants }), undefined, 2));
  say("\nIAM policy for the API and worker processes:\n");
  say(JSON.stringify(runTimePolicy(cellCode, region, { hasTenants: withTenants }), undefined, 2));
  say("\nNo AWS call was made.");
}

async function printSteps(steps: ReturnType<typeof setUp>): Promise<SetUpResult> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    say(`✓ ${step.value.what}${outcomeTexts[step.value.outcome]}`, colourMarks);
  }
}

export async function runDoctor(): Promise<void> {
  const {
    cellCode,
    provider,
    feedbackTopicArn: topicArn,
    feedbackQueueUrl: queueUrl,
  } = readDoctorConfig(loadEnvironment());
  const { region, endpoints } = provider;
  let problems = 0;
  for await (const finding of checkSetUp({
    cellCode,
    region,
    endpoints,
    topicArn,
    queueUrl,
    hasTenants: hasTenants(provider),
    pauseMs: pauseFor(provider),
  })) {
    if (finding.state === "problem") problems++;
    say(`${marks[finding.state]} ${finding.what}${adviceText(finding)}`, colourMarks);
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
