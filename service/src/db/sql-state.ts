/** The five-character code of an error the server answered with; undefined when there was no answer. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) && "severity" in error ? error.code : undefined;
}

/** A deadlock or a serialisation failure: rolled back by the server, and worth the same try again. */
export function isContention(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
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
  "3D000", // the database is not there, or not yet
  "55000", // it accepts no connections
  "57P04", // it was dropped
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

/** The server is away, full or refusing; the same statement may succeed in a moment. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  // Class 08 is the connection, 28 a log-in that is refused: nothing ran, and the operator may be mending it.
  if (state !== undefined) return connectionErrorStates.has(state) || state.startsWith("08") || state.startsWith("28");
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  if ("code" in error && typeof error.code === "string" && socketCodes.has(error.code)) return true;
  // `pg` reports a connection that ended, fell silent or could not be had by these texts, without a code.
  return /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after calling end/i.test(
    error.message,
  );
}
