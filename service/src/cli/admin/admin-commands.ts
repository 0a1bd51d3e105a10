import type { Environment } from "../../config.ts";
import { createOnDatabase } from "../on-database.ts";
import { groupOf, type PosternCommand } from "../postern-command.ts";
import { accountCommands } from "./account-commands.ts";
import { dataRightsCommands } from "./data-rights-commands.ts";
import { discardCommand } from "./discard-command.ts";
import { failoverCommand } from "./failover-commands.ts";
import { guardCommand } from "./guard-command.ts";
import { importSuppressionsCommand } from "./import-suppressions-command.ts";
import { keyCommands } from "./key-commands.ts";
import { memberCommands } from "./member-commands.ts";
import { moveAccountCommand } from "./move-account-command.ts";
import { holdCommand, releaseCommand, retryCommand, sendCommand } from "./operation-commands.ts";
import { operatorCommands } from "./operator-commands.ts";
import { quarantineCommand } from "./quarantine-commands.ts";
import { usageCommand } from "./usage-command.ts";
import { webhookNetworksCommand } from "./webhook-networks-command.ts";

export function adminCommand(loadEnvironment: () => Promise<Environment>): PosternCommand {
  const onDatabase = createOnDatabase(loadEnvironment);
  const operation = [
    holdCommand(onDatabase),
    releaseCommand(onDatabase),
    guardCommand(onDatabase),
    sendCommand(onDatabase),
    usageCommand(onDatabase),
    retryCommand(onDatabase),
    discardCommand(onDatabase),
    importSuppressionsCommand(onDatabase),
    webhookNetworksCommand(onDatabase),
    quarantineCommand(onDatabase),
    failoverCommand(onDatabase),
  ];
  return groupOf("admin", [
    ...titled("Accounts and secrets:", [...accountCommands(onDatabase), moveAccountCommand(onDatabase)]),
    ...titled("Members:", memberCommands(onDatabase)),
    ...titled("Operators:", operatorCommands(onDatabase)),
    ...titled("API keys:", keyCommands(onDatabase)),
    ...titled("Operation:", operation),
    ...titled("Data rights:", dataRightsCommands(onDatabase)),
  ])
    .about(
      "manage accounts, members, operators, API keys, holds, sends, suppressions, webhook networks, quarantine, failovers, data rights and secrets",
      "EMAIL is the email of a user of the account. docs/runbook.md says which command to use for which problem.",
    )
    .example("postern admin list-accounts", "postern admin help create-key");
}

function titled(title: string, commands: PosternCommand[]): PosternCommand[] {
  return commands.map((command) => command.helpGroup(title));
}
