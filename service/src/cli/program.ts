import packageJson from "../../package.json" with { type: "json" };
import type { Environment } from "../config.ts";
import { aligned } from "../plain-text.ts";
import { adminCommand } from "./admin/admin-commands.ts";
import { awsCommand } from "./aws-commands.ts";
import { completionCommand } from "./completion-command.ts";
import { devCommand } from "./dev-command.ts";
import { listenCommand } from "./listen-command.ts";
import { groupOf, helpCommand, type PosternCommand } from "./postern-command.ts";
import { apiCommand, migrateCommand, serveCommand, workerCommand } from "./process-commands.ts";
import { statusCommand } from "./status-command.ts";

const settings = `Settings come from the environment and from a .env file in the working directory.
.env.example describes every setting.`;

export const exitCodeMeanings = [
  [0, "done"],
  [1, "failed, or a problem was found"],
  [64, "wrong usage: an unknown command or option, or an invalid value"],
  [78, "wrong configuration: a setting, or a database that lacks the tables of this release"],
] as const;

/**
 * The tree of all commands. The files that it imports only describe the commands; an action imports the code that it runs, so
 * that help, completion and small commands start fast.
 */
export function createProgram(loadEnvironment: () => Promise<Environment> = readEnvironment): PosternCommand {
  const commands = [
    devCommand(),
    serveCommand(),
    apiCommand(),
    workerCommand(),
    migrateCommand(),
    statusCommand(loadEnvironment),
    listenCommand(loadEnvironment),
    awsCommand(),
    adminCommand(loadEnvironment),
    completionCommand(),
    helpCommand(),
  ];
  return groupOf("postern", commands)
    .about("transactional email through your own Amazon SES")
    .version(packageJson.version, "--version", "print the version")
    .enablePositionalOptions()
    .section("Settings:", settings)
    .section("Exit codes:", aligned(exitCodeMeanings.map(([code, meaning]) => [`${code}`, meaning])))
    .example("postern dev", "postern migrate", "postern help admin create-account");
}

async function readEnvironment(): Promise<Environment> {
  const { loadEnvironment } = await import("../config.ts");
  return loadEnvironment();
}
