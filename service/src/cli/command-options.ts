import { type ParseArgsConfig, parseArgs } from "node:util";
import { findAccount } from "../accounts/account-store.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";

type OptionKinds = NonNullable<ParseArgsConfig["options"]>;

/** Parses the arguments of a command. An unknown option is a usage error. */
export function readCommandLine<Kinds extends OptionKinds>(args: string[], options: Kinds, help: string) {
  try {
    const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true });
    return { options: values, positionals };
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), help);
  }
}

export function usageError(reason: string, help: string): AppError {
  return new AppError("VALIDATION_ERROR", `${reason}\n\n${help}`);
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

export async function getAccountByIdOrEmail(db: Database, text: string): Promise<{ id: string; name: string }> {
  const id = isUuid(text) ? text : (await findUserByEmail(db, text))?.accountId;
  const account = id === undefined ? undefined : await findAccount(db.forAccount(id));
  if (account !== undefined) return account;
  throw new AppError("NOT_FOUND", `There is no account ${text}. Give its id or the email of one of its users.`);
}
