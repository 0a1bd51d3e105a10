export interface Told {
  part: string;
  text: string;
}

/** What of a log line is worth a person's attention: warnings and errors, and whatever is no log line at all. */
export function tellLine(part: string, line: string): Told | undefined {
  const parsed = parse(line);
  if (parsed === undefined) return line.trim() === "" ? undefined : { part, text: line };
  const { level, event, time: _, err, ...facts } = parsed;
  if (level !== "warn" && level !== "error") return undefined;
  const shown = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const reason = typeof err === "object" && err !== null && "message" in err ? [String(err.message)] : [];
  return { part, text: [`${level}: ${String(event)}`, ...shown, ...reason].join(" ") };
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
