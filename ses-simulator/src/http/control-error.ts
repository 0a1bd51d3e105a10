import type { Call } from "./call.ts";

export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function parseJsonObject(call: Call): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(call.body.toString() || "{}");
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // Invalid JSON gets the same message as JSON that is not an object.
  }
  throw new ControlError(400, "The body must be a JSON object.");
}
