/** The notification for people: indented, with the event that SNS wraps as text unwrapped. Text that is no JSON stays as it is. */
export function readableEvent(raw: string): string {
  const parsed = parse(raw);
  if (parsed === undefined) return raw;
  return JSON.stringify(parsed, (key, value: unknown) => (key === "Message" ? (parse(value) ?? value) : value), 2);
}

function parse(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
