import { loadEnvironment, readAwsConfig, readDoctorConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { amountText, say } from "../plain-text.ts";
import { AwsActionError } from "../provider/ses/setup/aws-action.ts";
import { checkSetUp } from "../provider/ses/setup/check-set-up.ts";
import { accountPlaceholder, runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";
import { plannedSteps, type SetUpResult, setUp } from "../provider/ses/setup/set-up.ts";
import { adviceFor, findingText } from "./aws-advice.ts";
import { hasTenants, pauseFor, setUpCheckOptions } from "./aws-options.ts";
import { colourMarks } from "./colour.ts";

const outcomeTexts = { done: "", created: "", exists: " (already exists)" };

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
  let problems = 0;
  for await (const finding of checkSetUp(setUpCheckOptions(readDoctorConfig(loadEnvironment())))) {
    if (finding.state === "problem") problems++;
    say(findingText(finding), colourMarks);
  }
  say(problems === 0 ? "\nNo problems found." : `\n${amountText(problems, "problem")} found.`);
  if (problems > 0) process.exitCode = 1;
}

/** Every step is safe to repeat, so the advice always ends with running the set-up again. */
function explainFailure(error: unknown): never {
  if (!(error instanceof AwsActionError)) throw error;
  const repeat = "Then run `postern aws setup` again; the finished steps are kept.";
  throw new AppError("UNAVAILABLE", `✗ ${adviceFor(error)}. ${repeat}\n  AWS: ${error.message}`, { cause: error });
}
