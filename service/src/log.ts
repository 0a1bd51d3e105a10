import { isatty } from "node:tty";
import { type DestinationStream, destination, type Logger, pino } from "pino";
import { bufferLines } from "./buffered-lines.ts";
import { prettyLines } from "./pretty-lines.ts";

export type Log = Logger;

/**
 * One line per outcome: JSON, or on a terminal a line for people. Bodies, subjects, addresses, keys and tokens must never be logged, so each call names its
 * fields, and no serializer prints a request, a header or a configuration.
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

let cached = { ms: 0, field: "" };

/** Cached per millisecond: formatting a time takes as long as the rest of a short line. */
function timeField(): string {
  const ms = Date.now();
  if (ms !== cached.ms) cached = { ms, field: `,"time":"${new Date(ms).toISOString()}"` };
  return cached.field;
}

/**
 * A line that cannot be written (full disk, closed pipe) is dropped without an error: a log failure must not stop the work
 * that the line describes.
 */
const output = destination({ fd: 1, sync: true, maxLength: 1024 * 1024 });
output.on("error", () => undefined);
const forTerminal = (lines: string) => prettyLines(lines, process.stdout.hasColors());
// Not `process.stdout.isTTY`: opening that stream makes a pipe non-blocking, and `output` could not write to a full one.
const format = isatty(1) ? forTerminal : (lines: string) => lines;
const standardOutput = bufferLines((lines) => {
  try {
    output.write(format(lines));
  } catch {
    // No output is left on which to report the failure.
  }
});

/**
 * PostgreSQL puts row values into `detail` and `where`, and into the message of a data exception (class 22). An error is
 * therefore logged with these fields only, and its stack without the first line, which repeats the message.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return describeThrown(error);
  const code = "code" in error ? String(error.code) : undefined;
  const mayQuote = "severity" in error && code?.startsWith("22") === true;
  const stack = error.stack?.split("\n").filter((line) => line.startsWith("    at "));
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { name: error.name, message: mayQuote ? "a data exception" : error.message, code, stack, cause };
}

/** Some libraries throw plain objects with the fields of an error. */
function describeThrown(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return { message: String(thrown) };
  return describeError(Object.assign(new Error(String(thrown.message)), thrown, { stack: undefined }));
}
