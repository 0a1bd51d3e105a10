import { type DestinationStream, destination, type Logger, pino } from "pino";
import { collectLines } from "./collected-lines.ts";

export type Log = Logger;

/**
 * One JSON line per outcome. What must never be logged (bodies, subjects, addresses, keys, tokens) is kept out by naming
 * each field at the call; nothing here serialises a request, a header or a configuration.
 */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    messageKey: "event",
    timestamp: timeField,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, stream ?? standardOutput);
}

let written = { ms: 0, field: "" };

/** The lines of one millisecond share it: writing out a time takes as long as the rest of a short line. */
function timeField(): string {
  const ms = Date.now();
  if (ms !== written.ms) written = { ms, field: `,"time":"${new Date(ms).toISOString()}"` };
  return written.field;
}

/**
 * A line that cannot be written (a full disk, a reader that left) is lost, because what it tells of has happened and must
 * go on to be recorded.
 */
const output = destination({ fd: 1, sync: true, maxLength: 1024 * 1024 });
output.on("error", () => undefined);
const standardOutput = collectLines((lines) => {
  try {
    output.write(lines);
  } catch {
    // There is nowhere left to say it.
  }
});

/**
 * PostgreSQL puts row values into `detail` and `where`, and into the message of a data exception (class 22). So an error
 * is logged by these fields only, and the stack without its first line, which repeats the message.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return describeThrown(error);
  const code = "code" in error ? String(error.code) : undefined;
  const mayQuote = "severity" in error && code?.startsWith("22") === true;
  const stack = error.stack?.split("\n").filter((line) => line.startsWith("    at "));
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { name: error.name, message: mayQuote ? "a data exception" : error.message, code, stack, cause };
}

/** pg-boss tells of errors as plain objects that look like them. */
function describeThrown(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return { message: String(thrown) };
  return describeError(Object.assign(new Error(String(thrown.message)), thrown, { stack: undefined }));
}
