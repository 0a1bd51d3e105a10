import type { Simulation } from "../simulation.ts";
import type { Queue } from "./queue.ts";
import { SqsError } from "./sqs-error.ts";

export type Json = Record<string, unknown>;

export function urlOf(simulation: Simulation, name: string): string {
  return `${simulation.publicUrl}/${simulation.settings.accountId}/${name}`;
}

/** Reads only the last segment of the URL, so that old URLs stay valid after a restart on another port. */
export function requireQueue(simulation: Simulation, body: Json): Queue {
  const url = typeof body.QueueUrl === "string" ? body.QueueUrl : "";
  const queue = simulation.queues.find(url.slice(url.lastIndexOf("/") + 1));
  if (queue === undefined) throw new SqsError("QueueDoesNotExist", "The specified queue does not exist.");
  return queue;
}

export function requireQueueName(body: Json): string {
  const name = body.QueueName;
  if (typeof name === "string" && /^[A-Za-z0-9_-]{1,80}$/.test(name)) return name;
  throw new SqsError(
    "InvalidParameterValue",
    "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
  );
}

export function readStringMap(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]));
}

export function readNumber(
  body: Json,
  field: string,
  defaultValue: number,
  { min, max }: { min: number; max: number },
): number {
  const value = body[field] ?? defaultValue;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new SqsError(
    "InvalidParameterValue",
    `Value ${JSON.stringify(value)} for parameter ${field} is invalid. Reason: Must be between ${min} and ${max}, if provided.`,
  );
}

/** A batch has one to ten entries with distinct ids. */
export function requireEntries(body: Json): (Json & { Id: string })[] {
  const entries: (Json & { Id: string })[] = Array.isArray(body.Entries) ? body.Entries : [];
  if (entries.length === 0)
    throw new SqsError("EmptyBatchRequest", "There should be at least one entry in the request.");
  if (entries.length > 10) {
    throw new SqsError("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10.");
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new SqsError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
  }
  return entries;
}
