import type { ClientErrorCode } from "./postern-error.ts";

export interface AttemptRequest {
  url: string;
  method: string;
  headers: Headers;
  body: string | undefined;
}

export interface Answered {
  kind: "answered";
  status: number;
  headers: Headers;
  text: string;
}

export interface NoAnswer {
  kind: "no-answer";
  code: Exclude<ClientErrorCode, "UNEXPECTED_ANSWER">;
  cause: unknown;
}

interface Patience {
  timeoutSeconds: number;
  signal: AbortSignal | undefined;
}

/** One request and its whole answer. What happens to it on the way is a value, not an exception. */
export async function attempt(
  fetchNow: typeof fetch,
  request: AttemptRequest,
  { timeoutSeconds, signal }: Patience,
): Promise<Answered | NoAnswer> {
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
    // A redirect would carry the API key to wherever it leads, and turn a POST into a GET.
    const init = { method, headers, body, redirect: "manual", signal: controller.signal } as const;
    const response = await fetchNow(url, init);
    return { kind: "answered", status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    return { kind: "no-answer", code: endedBy ?? "CONNECTION_FAILED", cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
