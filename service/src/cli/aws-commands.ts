import { groupOf, PosternCommand } from "./postern-command.ts";

const credentials =
  "AWS credentials come from the usual sources: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.";

export function awsCommand(): PosternCommand {
  return groupOf("aws", [setupCommand(), doctorCommand()])
    .about("create or check the AWS resources that Postern needs", credentials)
    .example("postern aws setup --dry-run", "postern aws setup", "postern aws doctor");
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
