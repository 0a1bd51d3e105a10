import { InvalidArgumentError } from "commander";
import { parseAddress } from "../mail-address.ts";
import { groupOf, PosternCommand } from "./postern-command.ts";

const credentials =
  "AWS credentials come from the usual sources: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.";

export function awsCommand(): PosternCommand {
  return groupOf("aws", [setupCommand(), doctorCommand(), checkCommand()])
    .about("create or check the AWS resources that Postern needs", credentials)
    .example(
      "postern aws setup --dry-run",
      "postern aws setup",
      "postern aws doctor",
      "postern aws check --from hello@your-domain",
    );
}

function setupCommand(): PosternCommand {
  return new PosternCommand("setup")
    .about(
      "create the SES configuration set, SNS topic and SQS queues that report events",
      "Safe to repeat. It prints the settings that Postern needs to use the resources.",
      credentials,
    )
    .option("--dry-run", "print the resources and the permissions to grant, without calling AWS")
    .example("postern aws setup --dry-run", "postern aws setup")
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => (await import("./aws.ts")).runSetUp(dryRun));
}

function doctorCommand(): PosternCommand {
  return new PosternCommand("doctor")
    .about(
      "check the AWS resources and print each problem with its fix",
      "Exit code: 0 when it finds no problem, 1 when it finds one.",
      credentials,
    )
    .example("postern aws doctor")
    .action(async () => (await import("./aws.ts")).runDoctor());
}

function checkCommand(): PosternCommand {
  return new PosternCommand("check")
    .about(
      "send test mails through SES and check everything that Postern needs of AWS and DNS",
      "For the first meeting with SES, and after a change in AWS. It runs the checks of `aws doctor` and checks the clock, the identity of the " +
        "sender, its DNS records and the permissions of the service. Then it sends six mails to the mailbox simulator of SES and waits for " +
        "their events.",
      "It reads the events in a temporary queue behind the topic of the installation, and removes the queue in the end, also after Ctrl-C. " +
        "Running processes can go on: they ignore these events. The mails belong to no account and count in no figure of Postern. SES bills them " +
        "and counts them for the sending rate, but not for the quota of 24 hours.",
      "The credentials need both policies that `postern aws setup --dry-run` prints.",
      "Exit code: 0 when it finds no problem, 1 when it finds one, 130 after Ctrl-C.",
      credentials,
    )
    .requiredOption("--from <ADDRESS>", "the sender, an address of a domain that SES has verified", readFrom)
    .option("--json", "print the result as JSON, for programs")
    .option("--timeout <SECONDS>", "how long to wait for the events, 1 to 3600 (default: 120)", readTimeout, 120)
    .example("postern aws check --from hello@your-domain", "postern aws check --from hello@your-domain --json")
    .action(async ({ from, json = false, timeout }: { from: string; json?: boolean; timeout: number }) => {
      const { runCheck } = await import("./aws-check/run-check.ts");
      await runCheck({ from, isJson: json, timeoutSeconds: timeout });
    });
}

function readFrom(text: string): string {
  const address = parseAddress(text);
  if ("problem" in address) throw new InvalidArgumentError(`--from ${address.problem}: "${text}".`);
  return address.ascii;
}

function readTimeout(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 3_600) return Number(text);
  throw new InvalidArgumentError(`--timeout must be a whole number of seconds from 1 to 3600, not "${text}".`);
}
