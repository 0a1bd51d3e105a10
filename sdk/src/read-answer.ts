import type { Answered, NoAnswer } from "./attempt.ts";
import { type ErrorFacts, PosternError } from "./postern-error.ts";
import type { Result } from "./result.ts";

interface Asked {
  url: string;
  requestId: string;
  idempotencyKey: string | undefined;
  settings: { timeoutSeconds: number };
}

/** What an attempt means for the caller. */
export function readAnswer<Data>(asked: Asked, outcome: Answered | NoAnswer): Result<Data> {
  const { requestId, idempotencyKey } = asked;
  const failed = (facts: Omit<ErrorFacts, "requestId" | "idempotencyKey"> & { requestId?: string | undefined }) => ({
    data: null,
    error: new PosternError({ ...facts, idempotencyKey, requestId: facts.requestId ?? requestId }),
  });
  if (outcome.kind === "no-answer") {
    const { code, cause } = outcome;
    return failed({ code, message: withoutAnswer(asked, outcome), cause });
  }

  const { status, headers } = outcome;
  const body = parseJson(outcome.text);
  // What the service answers with success has the documented form; a test holds it against the same document as the types.
  if (status >= 200 && status < 300 && body !== undefined) return { data: body as Data, error: null };
  const told = { status, requestId: headers.get("x-request-id") ?? undefined, retryAfter: retryAfterOf(headers) };
  const problem = errorOf(body);
  if (problem !== undefined) {
    return failed({ ...told, ...problem, requestId: problem.requestId ?? told.requestId });
  }
  return failed({ ...told, code: "UNEXPECTED_ANSWER", message: notOurs(asked, status) });
}

function withoutAnswer({ url, settings }: Asked, { code, cause }: NoAnswer): string {
  const { origin } = new URL(url);
  switch (code) {
    case "TIMEOUT":
      return `${origin} did not answer within ${settings.timeoutSeconds} s.`;
    case "ABORTED":
      return "The call was aborted by its signal. What it asked for may have happened.";
    case "CONNECTION_FAILED":
      return `${origin} could not be reached, or the connection broke: ${reasonOf(cause).replace(/\.$/, "")}.`;
  }
}

function notOurs({ url }: Asked, status: number): string {
  const { origin } = new URL(url);
  const advice =
    status < 500
      ? "Check baseUrl: it is where /openapi.json of the installation can be read, without a redirect."
      : "A proxy in front of the installation probably gave it.";
  return `The answer of ${origin} (status ${status}) is none of Postern's. ${advice}`;
}

/** `fetch` says "fetch failed" or the like and keeps the reason in the cause, if it tells it at all. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error ? `${thrown.message} (${cause.message || cause.name})` : thrown.message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(
  body: unknown,
): (Pick<ErrorFacts, "code" | "message" | "details"> & { requestId?: string }) | undefined {
  const error = fieldOf(body, "error");
  const [code, message, details, requestId] = ["code", "message", "details", "request_id"].map((name) =>
    fieldOf(error, name),
  );
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return {
    // A newer service may have more codes than these types.
    code: code as ErrorFacts["code"],
    message,
    details: Array.isArray(details) ? details : [],
    ...(typeof requestId === "string" && { requestId }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Seconds, as the service writes it, or a date, as a proxy may. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
