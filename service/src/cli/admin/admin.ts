import { parseArgs } from "node:util";
import { type Limits, resumeAccount, setLimits, suspendAccount } from "../../accounts/account-store.ts";
import { createAccount } from "../../accounts/create-account.ts";
import { findUserByEmail } from "../../accounts/user-store.ts";
import { loadEnvironment, readDatabaseConfig } from "../../config.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { resetPassword } from "../../logins/reset-password.ts";
import { say } from "../../plain-text.ts";
import { parkSends } from "../../queue/parked-sends.ts";
import { secretsBlock } from "../generate-secrets.ts";
import { runFailover } from "./failover.ts";
import { runHold, runRelease } from "./holds.ts";
import { runQuarantine } from "./quarantine.ts";
import { runRetry } from "./retry.ts";
import { runSend } from "./send.ts";

const help = `Usage: postern admin <command> [options]

Accounts and secrets
  generate-secrets                          print new secrets for .env
  create-account --name NAME --email EMAIL  create an account and its first user; prints the password once
  reset-password --email EMAIL              set a new password for a user and end all of the user's logins
  suspend --email EMAIL                     refuse the keys and tokens of the user's account and park its queued mail
  resume --email EMAIL                      end the suspension
  set-limits --email EMAIL [--per-second N] [--per-10-seconds N] [--per-minute N]
                                            change how many sends the account may request

Operation
  hold [--account EMAIL-or-ID] [--reason TEXT]
                                            stop the delivery of all mail, or of one account's mail; mail is still accepted
  release [--account EMAIL-or-ID]           resume the delivery
  send show ID                              show the record, queue state, attempts and events of a send
  retry --status failed --code CODE --since TIME [--account EMAIL-or-ID] [--yes]
                                            put failed sends back into the queue; without --yes, only count them
  quarantine list | show ID | replay ID | replay --all
                                            handle SES notifications that could not be applied
  failover show | declare | confirm-no-loss
                                            handle the sends in doubt after a database failover or restore

EMAIL is the email of a user of the account. docs/runbook.md says which command to use for which problem.`;

export async function runAdmin(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === "--help" || command === "help") return say(help);
  if (command === "generate-secrets") return say(secretsBlock());
  const runOperatorCommand = operatorCommands[command];
  if (runOperatorCommand !== undefined) {
    if (rest.includes("--help")) return say(help);
    return withDatabase((db) => runOperatorCommand(db, rest));
  }
  const run = commands[command];
  if (run === undefined) throw new AppError("VALIDATION_ERROR", `There is no command "${command}".\n\n${help}`);
  const options = readOptions(rest);
  await withDatabase((db) => run(db, options));
}

/** Commands that parse their own arguments. */
const operatorCommands: Record<string, (db: Database, args: string[]) => Promise<void>> = {
  hold: runHold,
  release: runRelease,
  send: runSend,
  retry: runRetry,
  quarantine: runQuarantine,
  failover: runFailover,
};

const optionKinds = {
  name: { type: "string" },
  email: { type: "string" },
  "per-second": { type: "string" },
  "per-10-seconds": { type: "string" },
  "per-minute": { type: "string" },
} as const;

type Options = Partial<Record<keyof typeof optionKinds, string>>;

const commands: Record<string, (db: Database, options: Options) => Promise<void>> = {
  async "create-account"(db, options) {
    const [name, email] = [required(options, "name"), required(options, "email")];
    const { accountId, password } = await createAccount(db, name, email);
    say(`Account  ${accountId}  ${name}\nUser     ${email}\nPassword ${password}\n\nThe password is not shown again.`);
  },
  async "reset-password"(db, options) {
    const email = required(options, "email");
    const password = await resetPassword(db, email);
    say(`New password of ${email}: ${password}\nAll logins of this user have ended. The password is not shown again.`);
  },
  async suspend(db, options) {
    const accountId = await accountOf(db, options);
    await suspendAccount(db, accountId);
    await parkSends(db, accountId);
    say(
      "The account is suspended. Its keys and tokens are refused, and its queued mail is parked.\n" +
        `To undo: \`postern admin resume --email ${options.email}\``,
    );
  },
  async resume(db, options) {
    await resumeAccount(db, await accountOf(db, options));
    say("The account is active again. Its keys and tokens are accepted.");
  },
  async "set-limits"(db, options) {
    const limits: Partial<Limits> = {
      ...limit("perSecond", options["per-second"]),
      ...limit("per10Seconds", options["per-10-seconds"]),
      ...limit("perMinute", options["per-minute"]),
    };
    const { perSecond, per10Seconds, perMinute } = await setLimits(db, await accountOf(db, options), limits);
    say(`Limits are now ${perSecond} per second, ${per10Seconds} per 10 seconds, ${perMinute} per minute.`);
  },
};

function readOptions(args: string[]): Options {
  try {
    return parseArgs({ args, options: optionKinds, strict: true }).values;
  } catch (error) {
    throw new AppError("VALIDATION_ERROR", `${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}

function required(options: Options, name: keyof Options): string {
  const value = options[name];
  if (value === undefined) throw new AppError("VALIDATION_ERROR", `--${name} is missing.\n\n${help}`);
  return value;
}

async function accountOf(db: Database, options: Options): Promise<string> {
  const email = required(options, "email");
  const user = await findUserByEmail(db, email);
  if (user === undefined) throw new AppError("NOT_FOUND", `There is no user with the email ${email}.`);
  return user.accountId;
}

function limit(name: keyof Limits, text: string | undefined): Partial<Limits> {
  if (text === undefined) return {};
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= 1_000_000) return { [name]: value };
  throw new AppError("VALIDATION_ERROR", `A limit must be a whole number from 1 to 1000000, not "${text}".`);
}

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const { database } = readDatabaseConfig(loadEnvironment());
  const db = openDatabase({ ...database, poolSize: 2, applicationName: "postern-admin", onIdleError: () => undefined });
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
