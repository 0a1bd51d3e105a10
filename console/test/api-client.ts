import type { Person } from "./person.ts";

/** Calls the API with the access token of a person. Every method throws unless the answer is 2xx. */
export interface ApiClient {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body?: object, headers?: Record<string, string>): Promise<Body>;
  patch<Body>(path: string, body: object): Promise<Body>;
  delete(path: string): Promise<void>;
}

const maxAnswerMs = 20_000;

/** `path` starts after /api/v1, as in `client.get("/domains")`. The log-in happens at the first call. */
export function createApiClient(url: string, person: Person): ApiClient {
  let token: { text: string; usedUntil: number } | undefined;
  const authorization = async () => {
    if (token === undefined || performance.now() > token.usedUntil) token = await logIn(url, person);
    return { authorization: `Bearer ${token.text}` };
  };
  const call = async (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    request(url, { method, path, body, headers: { ...(await authorization()), ...headers } });
  return {
    get: async <Body>(path: string) => (await (await call("GET", path)).json()) as Body,
    post: async <Body>(path: string, body?: object, headers?: Record<string, string>) =>
      (await (await call("POST", path, body, headers)).json()) as Body,
    patch: async <Body>(path: string, body: object) => (await (await call("PATCH", path, body)).json()) as Body,
    delete: async (path) => void (await call("DELETE", path)),
  };
}

async function logIn(url: string, { email, password }: Person): Promise<{ text: string; usedUntil: number }> {
  const answer = await request(url, { method: "POST", path: "/auth/login", body: { email, password }, headers: {} });
  const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number };
  return { text: access_token, usedUntil: performance.now() + (expires_in * 1000) / 2 };
}

interface Call {
  method: string;
  path: string;
  body: object | undefined;
  headers: Record<string, string>;
}

async function request(url: string, { method, path, body, headers }: Call): Promise<Response> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(maxAnswerMs),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response;
}
