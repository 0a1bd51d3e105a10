export interface TerminalLine {
  processName: string;
  text: string;
}

/** The terminal shows warnings, errors and lines that are not JSON; it leaves out log lines of a lower level. */
export function toTerminalLine(processName: string, line: string): TerminalLine | undefined {
  const parsed = parse(line);
  if (parsed === undefined) return line.trim() === "" ? undefined : { processName, text: line };
  const { level, event, time: _, err, role: _role, version: _version, ...fields } = parsed;
  if (level !== "warn" && level !== "error") return undefined;
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const reason = typeof err === "object" && err !== null && "message" in err ? [String(err.message)] : [];
  return { processName, text: [`${level}: ${String(event)}`, ...shown, ...reason].join(" ") };
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
