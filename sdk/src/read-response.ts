import type { NoResponse, ReceivedResponse } from "./attempt.ts";
import { type ErrorFacts, PosternError } from "./postern-error.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { Result } from "./result.ts";

/** Converts the outcome of one attempt into a result. */
export function readResponse<Data>(request: PreparedRequest, outcome: ReceivedResponse | NoResponse): Result<Data> {
  const { requestId, idempotencyKey } = request;
  const failed = (facts: Omit<ErrorFacts, "requestId" | "idempotencyKey"> & { requestId?: string | undefined }) => ({
    data: null,
    error: new PosternError({ ...facts, idempotencyKey, requestId: facts.requestId ?? requestId }),
  });
  if (outcome.kind === "no-response") {
    const { code, cause } = outcome;
    return failed({ code, message: noResponseMessage(request, outcome), cause });
  }

  const { status, headers } = outcome;
  const body = parseJson(outcome.text);
  // The cast is safe: a test of the service validates its responses against the document that these types come from.
  if (status >= 200 && status < 300 && body !== undefined) return { data: body as Data, error: null };
  const verdicts = readVerdicts(body);
  if (verdicts !== undefined) return { data: verdicts as Data, error: null };
  const facts = { status, requestId: headers.get("x-request-id") ?? undefined, retryAfter: readRetryAfter(headers) };
  const apiError = readApiError(body);
  if (apiError !== undefined) {
    return failed({ ...facts, ...apiError, requestId: apiError.requestId ?? facts.requestId });
  }
  return failed({ ...facts, code: "UNEXPECTED_ANSWER", message: unexpectedMessage(request, status) });
}

function noResponseMessage({ url, settings }: PreparedRequest, { code, cause }: NoResponse): string {
  const { origin } = new URL(url);
  switch (code) {
    case "TIMEOUT":
      return `${origin} did not respond within ${settings.timeoutSeconds} s.`;
    case "ABORTED":
      return "The signal aborted the call. The service may have processed the request.";
    case "CONNECTION_FAILED":
      return `The connection to ${origin} failed: ${reasonOf(cause).replace(/\.$/, "")}.`;
  }
}

function unexpectedMessage({ url }: PreparedRequest, status: number): string {
  const { origin } = new URL(url);
  const advice =
    status < 500
      ? "Check baseUrl: /openapi.json of the installation must be readable there without a redirect."
      : "A proxy in front of the installation probably sent it.";
  return `The response of ${origin} (status ${status}) does not come from Postern. ${advice}`;
}

/** `fetch` throws a general message such as "fetch failed" and puts the reason, if any, into the cause. */
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

/** A batch of which no mail was accepted: the caller reads the verdicts as of any other. */
function readVerdicts(body: unknown): unknown {
  const [accepted, refused, verdicts] = ["accepted", "refused", "verdicts"].map((name) => fieldOf(body, name));
  return Array.isArray(verdicts) ? { accepted, refused, verdicts } : undefined;
}

function readApiError(
  body: unknown,
): (Pick<ErrorFacts, "code" | "message" | "details"> & { requestId?: string }) | undefined {
  const error = fieldOf(body, "error");
  const [code, message, details, requestId] = ["code", "message", "details", "request_id"].map((name) =>
    fieldOf(error, name),
  );
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return {
    // A newer service can send codes that these types do not contain.
    code: code as ErrorFacts["code"],
    message,
    details: Array.isArray(details) ? details : [],
    ...(typeof requestId === "string" && { requestId }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The service sends seconds; a proxy may send a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
