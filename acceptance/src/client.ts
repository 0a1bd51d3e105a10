export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined when it is not JSON. */
  // Tests look at what they expect to be there; a missing member makes them fail.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

export interface Question {
  headers?: Record<string, string>;
  body?: unknown;
  query?: Record<string, string | number>;
}

export type Ask = (method: string, path: string, question?: Question) => Promise<Answer>;

const patienceMs = 30_000;

/** Speaks HTTP with one deployment, and nothing else. */
export function createClient(baseUrl: string): Ask {
  return async (method, path, { headers = {}, body, query = {} } = {}) => {
    const url = new URL(`${baseUrl.replace(/\/$/, "")}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
