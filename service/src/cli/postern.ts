#!/usr/bin/env node
import packageJson from "../../package.json" with { type: "json" };
import { isConnectionError, sqlState } from "../db/sql-state.ts";
import { AppError, ConfigurationError } from "../errors.ts";

const help = `Usage: postern <command>

  dev              try it: API, worker, PostgreSQL and a simulated SES in one terminal; see \`postern dev --help\`
  api              start the HTTP API
  worker           start the background work: handing mail over, reading feedback, verifying domains
  migrate          bring the database schema up to this release
  aws              make what Postern needs at AWS; see \`postern aws --help\`
  status           tell how queues, holds and feedback stand, and what needs attention
  admin            accounts, holds, sends, quarantine and secrets; see \`postern admin --help\`
  --version        print the version

Configuration comes from the environment and from a .env file in the working directory; .env.example lists every key.`;

/** Wrong password, unknown role, unknown database. */
const refusals = new Set(["28P01", "28000", "3D000"]);

const exitCodes = { badConfiguration: 78, usage: 64, failed: 1 };

const [command, ...rest] = process.argv.slice(2);

try {
  await run(command, rest);
} catch (error) {
  process.exitCode = explain(error);
}

/** Each part is loaded only when it is asked for, so that the small commands answer at once. */
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
    `\`postern ${name}\` takes no options; settings come from .env, see .env.example.`,
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
    process.stderr.write("The database has no tables of Postern yet. Run `postern migrate` first.\n");
    return exitCodes.badConfiguration;
  }
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof Error && isConnectionError(cause)) {
    process.stderr.write(`PostgreSQL cannot be reached (${cause.message}). Check DATABASE_URL and the server.\n`);
    return exitCodes.failed;
  }
  if (error instanceof Error && state !== undefined && refusals.has(state)) {
    process.stderr.write(`PostgreSQL does not let us in (${error.message}). Check DATABASE_URL.\n`);
    return exitCodes.failed;
  }
  // What an operator can act on is a sentence; anything else is a bug and comes with its stack.
  const text = error instanceof AppError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof AppError && error.code === "VALIDATION_ERROR" ? exitCodes.usage : exitCodes.failed;
}
