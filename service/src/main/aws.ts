import { parseArgs } from "node:util";
import { loadEnvironment, readConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { plannedSteps, SetUpError, setUp } from "../provider/ses/set-up.ts";

const help = `Usage: postern aws <command> [options]

  setup              make the SNS topic and the SES configuration set that tell what became of mail; may be repeated
  setup --dry-run    show what it would make, and call nothing

AWS credentials are found as by every AWS tool: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.`;

const notes = { done: "", created: "", exists: " (was there already)" };

export async function runAws(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === "--help" || command === "help") return say(help);
  if (command !== "setup") throw new AppError("VALIDATION_ERROR", `There is no command "${command}".\n\n${help}`);
  const isDryRun = readDryRun(rest);
  // A topic from before, perhaps of another region, must not keep anyone from making a new one.
  const { cellCode, provider } = readConfig({ ...loadEnvironment(), AWS_FEEDBACK_TOPIC_ARN: undefined });
  if (isDryRun) {
    say(`Would make at AWS, in ${provider.region}:`);
    for (const { what, action } of plannedSteps(cellCode)) say(`- ${what} (${action})`);
    return say("\nNothing was called.");
  }
  const { region, endpoints } = provider;
  const steps = setUp({ cellCode, region, endpoints });
  const topicArn = await showEach(steps).catch(explain);
  say(`\nPut this line into .env:\n\nAWS_FEEDBACK_TOPIC_ARN=${topicArn}`);
}

async function showEach(steps: ReturnType<typeof setUp>): Promise<string> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    say(`✓ ${step.value.what}${notes[step.value.outcome]}`);
  }
}

/** The steps before stay done, so every sentence may end with running it again. */
function explain(error: unknown): never {
  if (!(error instanceof SetUpError)) throw error;
  const again = "and run `postern aws setup` again; what is done stays done.";
  throw new AppError("UNAVAILABLE", `✗ ${adviceFor(error)}, ${again}\n  AWS: ${error.message}`, { cause: error });
}

function adviceFor({ action, reason }: SetUpError): string {
  switch (reason.kind) {
    case "denied":
      return isUnknown(reason.message)
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

/** AWS does not know who asks, as opposed to knowing and refusing. */
function isUnknown(message: string): boolean {
  return !/^(AccessDenied|AuthorizationError|NotAuthorized)/.test(message);
}

function readDryRun(args: string[]): boolean {
  try {
    const { values } = parseArgs({ args, options: { "dry-run": { type: "boolean" } }, strict: true });
    return values["dry-run"] === true;
  } catch (error) {
    throw new AppError("VALIDATION_ERROR", `${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
