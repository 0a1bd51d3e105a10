import { isConnectionError, isOfMovedAccount, sqlState } from "../db/sql-state.ts";
import { adviceOnTls } from "../db/tls-refusal.ts";
import { AppError, ConfigurationError } from "../errors.ts";
import { printable } from "../plain-text.ts";
import { isOutcome } from "./postern-command.ts";

export const exitCodes = { badConfiguration: 78, usage: 64, failed: 1 };

/** SQLSTATEs for a wrong password, an unknown role and an unknown database. */
const loginErrors = new Set(["28P01", "28000", "3D000"]);

/** Writes what happened and what to do next to the error output. Returns the exit code. */
export function explainError(error: unknown): number {
  if (isOutcome(error)) return 0;
  const { text, exitCode } = describe(error);
  process.stderr.write(`${printable(text)}\n`);
  return exitCode;
}

function describe(error: unknown): { text: string; exitCode: number } {
  if (error instanceof ConfigurationError) {
    return { text: `Postern cannot start. ${error.message}`, exitCode: exitCodes.badConfiguration };
  }
  const state = sqlState(error);
  if (state === "42P01") {
    const text = "The database has no Postern tables yet. Run `postern migrate` first.";
    return { text, exitCode: exitCodes.badConfiguration };
  }
  if (isOfMovedAccount(error)) {
    const text =
      "This account is moving to another cell, or has moved there, so it cannot be changed here. Run the command in the cell where it lives. " +
      "`postern status` shows moves that have not ended.";
    return { text, exitCode: exitCodes.failed };
  }
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof Error && isConnectionError(cause)) {
    return { text: connectionText(cause), exitCode: exitCodes.failed };
  }
  if (error instanceof Error && state !== undefined && loginErrors.has(state)) {
    return {
      text: `PostgreSQL refuses the connection (${error.message}). Check DATABASE_URL.`,
      exitCode: exitCodes.failed,
    };
  }
  // An AppError is an outcome that an operator can act on. Any other error is a bug and is printed with its stack.
  if (!(error instanceof AppError)) {
    return { text: String(error instanceof Error ? error.stack : error), exitCode: exitCodes.failed };
  }
  const isUsage = error.code === "VALIDATION_ERROR";
  return { text: error.message, exitCode: isUsage ? exitCodes.usage : exitCodes.failed };
}

function connectionText(error: Error): string {
  const tlsAdvice = adviceOnTls(error);
  if (tlsAdvice !== undefined) return `Cannot connect to PostgreSQL with TLS (${error.message}). ${tlsAdvice}.`;
  const isMissing = sqlState(error) === "3D000";
  const advice = isMissing ? ", or create the database: `postern migrate --create-database`" : "";
  return `Cannot connect to PostgreSQL (${error.message}). Check DATABASE_URL and the server${advice}.`;
}
