import { NoPrimaryError } from "./no-primary-error.ts";
import { adviceOnTls } from "./tls-refusal.ts";

/** The five-character code of an error from the server; undefined when the server did not answer. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) && "severity" in error ? error.code : undefined;
}

/** A deadlock or serialization failure: the server rolled back, and the same statement can be retried. */
export function isContention(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** The statement concerns an account that is moving to another cell, or lives there (migration 0088). It changed nothing. */
export function isOfMovedAccount(error: unknown): boolean {
  return sqlState(error) === "PS002";
}

/** The server cancelled the statement at its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && sqlState(error.cause ?? error) === "57014";
}

const connectionErrorStates = new Set([
  "25006", // read-only: the primary became a standby
  "53100", // disk full
  "53200", // out of memory
  "53300", // too many connections
  "57014", // statement timeout
  "57P01", // shut down by the administrator
  "57P02", // crash of another backend
  "57P03", // starting up or stopping
  "57P05", // idle session timeout
  "25P03", // idle in transaction timeout
  "3D000", // the database does not exist, perhaps not yet
  "55000", // the database accepts no connections
  "57P04", // the database was dropped
]);

const socketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** The server is unreachable, out of resources or refuses connections; the same statement may succeed later. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  // Class 08 is a connection failure, class 28 a refused log-in: nothing ran, and the operator can fix both meanwhile.
  if (state !== undefined) return connectionErrorStates.has(state) || state.startsWith("08") || state.startsWith("28");
  // A certificate can expire while the process runs, and a failover takes a while.
  if (error instanceof NoPrimaryError || adviceOnTls(error) !== undefined) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  if ("code" in error && typeof error.code === "string" && socketCodes.has(error.code)) return true;
  // `pg` reports connections that ended, timed out or could not be opened by these texts, without a code.
  return /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after calling end/i.test(
    error.message,
  );
}

/** The server refused the statement because of this constraint, or because of a trigger that acts as one. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return (
    sqlState(error) !== undefined && error instanceof Error && "constraint" in error && error.constraint === constraint
  );
}
