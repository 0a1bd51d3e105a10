#!/usr/bin/env node
import packageJson from "../../package.json" with { type: "json" };
import { isConnectionError, sqlState } from "../db/sql-state.ts";
import { AppError, ConfigurationError } from "../errors.ts";

const help = `Usage: postern <command>

  dev              try Postern: API, worker, PostgreSQL and a simulated SES in one terminal; see \`postern dev --help\`
  api              start the HTTP API
  worker           start a worker: it sends mail, reads feedback and verifies domains
  migrate          update the database schema to this release
  aws              create or check the AWS resources that Postern needs; see \`postern aws --help\`
  status           show queues, holds, feedback and problems
  admin            manage accounts, holds, sends, quarantine, failovers and secrets; see \`postern admin --help\`
  --version        print the version

Settings come from the environment and from a .env file in the working directory. .env.example describes every setting.`;

/** SQLSTATEs for a wrong password, an unknown role and an unknown database. */
const loginErrors = new Set(["28P01", "28000", "3D000"]);

const exitCodes = { badConfiguration: 78, usage: 64, failed: 1 };

const [command, ...rest] = process.argv.slice(2);

try {
  await run(command, rest);
} catch (error) {
  process.exitCode = explain(error);
}

/** Each command is imported only when it runs, which keeps the small commands fast. */
async function run(name: string | undefined, args: string[]): Promise<void> {
  switch (name) {
    case "api":
    case "worker":
    case "migrate":
      if (args.includes("--help")) return say(help);
      requireNoOptions(name, args);
      return start(name);
    case "dev":
      return (await import("./dev.ts")).runDev(args);
    case "aws":
      return (await import("./aws.ts")).runAws(args);
    case "admin":
      return (await import("./admin/admin.ts")).runAdmin(args);
    case "status":
      return (await import("./status.ts")).runStatus(args);
    case "--version":
      return say(packageJson.version);
    case undefined:
    case "help":
    case "--help":
      return say(help);
    default:
      process.stderr.write(`There is no command "${name}".\n\n${help}\n`);
      process.exitCode = exitCodes.usage;
  }
}

async function start(name: "api" | "worker" | "migrate"): Promise<void> {
  switch (name) {
    case "api":
      return (await import("../processes/api.ts")).runApi();
    case "worker":
      return (await import("../processes/worker.ts")).runWorker();
    case "migrate":
      return (await import("../processes/migrate.ts")).runMigrate();
  }
}

function requireNoOptions(name: string, args: string[]): void {
  if (args.length === 0) return;
  throw new AppError(
    "VALIDATION_ERROR",
    `\`postern ${name}\` takes no options. Set the values in .env; .env.example describes them.`,
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function explain(error: unknown): number {
  if (error instanceof ConfigurationError) {
    process.stderr.write(`Postern cannot start. ${error.message}\n`);
    return exitCodes.badConfiguration;
  }
  const state = sqlState(error);
  if (state === "42P01") {
    process.stderr.write("The database has no Postern tables yet. Run `postern migrate` first.\n");
    return exitCodes.badConfiguration;
  }
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof Error && isConnectionError(cause)) {
    process.stderr.write(`Cannot connect to PostgreSQL (${cause.message}). Check DATABASE_URL and the server.\n`);
    return exitCodes.failed;
  }
  if (error instanceof Error && state !== undefined && loginErrors.has(state)) {
    process.stderr.write(`PostgreSQL refuses the connection (${error.message}). Check DATABASE_URL.\n`);
    return exitCodes.failed;
  }
  // An AppError is an outcome that an operator can act on. Any other error is a bug and is printed with its stack.
  const text = error instanceof AppError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof AppError && error.code === "VALIDATION_ERROR" ? exitCodes.usage : exitCodes.failed;
}
