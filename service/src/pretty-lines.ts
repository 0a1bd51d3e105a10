import { styleText } from "node:util";
import { printable } from "./plain-text.ts";

type Style = Parameters<typeof styleText>[0];

const levelStyles: Record<string, Style> = { debug: "dim", warn: "yellow", error: "red" };

/** Turns JSON log lines into lines for people: time, level, event, fields, and an error with its stack below. */
export function prettyLines(lines: string, hasColours: boolean): string {
  return lines
    .split("\n")
    .map((line) => prettyLine(line, hasColours))
    .join("\n");
}

function prettyLine(line: string, hasColours: boolean): string {
  const entry = parsed(line);
  if (entry === undefined) return line;
  const paint = (style: Style | undefined, text: string) =>
    style === undefined || !hasColours ? text : styleText(style, text, { validateStream: false });
  // A person at a terminal knows which process writes there.
  const { time = "", level = "", event = "", err, role: _role, version: _version, ...fields } = entry;
  const name = String(level);
  const words = [
    paint("dim", clockTime(String(time))),
    paint(levelStyles[name], name.toUpperCase().padEnd(5)),
    paint("bold", String(event)),
    ...Object.entries(fields).map(([field, value]) => `${paint("dim", `${field}=`)}${valueText(value)}`),
  ];
  return [words.join(" "), ...errorLines(err).map(printable)].join("\n");
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** The local time of day, to the millisecond. */
function clockTime(iso: string): string {
  const time = new Date(iso);
  return `${time.toLocaleTimeString("en-GB")}.${iso.slice(20, 23)}`;
}

/** Quoted when a text has spaces or control characters, which must not control the terminal. */
function valueText(value: unknown): string {
  return typeof value === "string" && /^[^\s"\p{Cc}]+$/u.test(value) ? value : printable(JSON.stringify(value));
}

function errorLines(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [];
  const { name, message, code, stack, cause } = error as Record<string, unknown>;
  const title = [name, code].filter((part) => typeof part === "string").join(" ");
  const frames = Array.isArray(stack) ? stack.map(String) : [];
  return [`    ${title}: ${oneLine(String(message))}`, ...frames, ...errorLines(cause)];
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
