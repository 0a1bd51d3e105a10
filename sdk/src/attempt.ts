import type { ClientErrorCode } from "./postern-error.ts";

export interface AttemptRequest {
  url: string;
  method: string;
  headers: Headers;
  body: string | undefined;
}

export interface ReceivedResponse {
  kind: "response";
  status: number;
  headers: Headers;
  text: string;
}

export interface NoResponse {
  kind: "no-response";
  code: Exclude<ClientErrorCode, "UNEXPECTED_ANSWER">;
  cause: unknown;
}

interface AttemptLimits {
  timeoutSeconds: number;
  signal: AbortSignal | undefined;
}

/** Sends one request and reads the whole response. A failure is a value, not an exception. */
export async function attempt(
  fetchNow: typeof fetch,
  request: AttemptRequest,
  { timeoutSeconds, signal }: AttemptLimits,
): Promise<ReceivedResponse | NoResponse> {
  const { url, method, headers, body = null } = request;
  const controller = new AbortController();
  let endedBy: "TIMEOUT" | "ABORTED" | undefined;
  const end = (code: "TIMEOUT" | "ABORTED", reason?: unknown) => {
    endedBy ??= code;
    controller.abort(reason);
  };
  const abort = () => end("ABORTED", signal?.reason);
  const timer = setTimeout(() => end("TIMEOUT"), timeoutSeconds * 1000);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort);
  try {
    // A followed redirect would send the API key to another host and turn a POST into a GET.
    const init = { method, headers, body, redirect: "manual", signal: controller.signal } as const;
    const response = await fetchNow(url, init);
    return { kind: "response", status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    return { kind: "no-response", code: endedBy ?? "CONNECTION_FAILED", cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
