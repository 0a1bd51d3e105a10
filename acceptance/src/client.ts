export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  bytes: Buffer;
  /** Undefined when the text is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect and fail when one is missing
  body: any;
  /** From before the request to the end of the body. */
  tookMs: number;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  body?: unknown;
  query?: Record<string, string | number>;
}

export type HttpClient = (method: string, path: string, options?: RequestOptions) => Promise<Answer>;

const timeoutMs = 30_000;

export function createClient(baseUrl: string): HttpClient {
  return async (method, path, { headers = {}, body, query = {} } = {}) => {
    const url = new URL(`${baseUrl.replace(/\/$/, "")}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const startedAt = performance.now();
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const tookMs = performance.now() - startedAt;
    return { status: response.status, headers: response.headers, text, bytes, body: parseJson(text), tookMs };
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
