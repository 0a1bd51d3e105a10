import { afterAll, beforeAll } from "vitest";
import type { ApiDeps, ApiServer } from "../src/api/http/api-server.ts";
import type { Environment } from "../src/config.ts";
import { anEnvironment } from "./test-config.ts";
import { useTestDatabase } from "./use-test-database.ts";
import { requireDeclaredHeaders, requireDocumented } from "./validate-response.ts";
import { startTestApi } from "./with-test-apis.ts";

interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  path: string;
  token?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent unchanged in place of `body`. */
  rawBody?: string | Buffer;
  remoteAddress?: string;
}

/** The API on its own database. Every response is validated against openapi.json. */
export function useTestApi(overrides: Environment = {}) {
  const database = useTestDatabase();
  const logLines: string[] = [];
  let running: { app: ApiServer; deps: ApiDeps } | undefined;

  beforeAll(async () => {
    running = await startTestApi(database.db, anEnvironment({ LOG_LEVEL: "debug", ...overrides }), logLines);
  });
  afterAll(async () => running?.app.close());

  const current = () => {
    if (running === undefined) throw new Error("the API runs only inside tests");
    return running;
  };
  return {
    database,
    logLines,
    get app() {
      return current().app;
    },
    get deps() {
      return current().deps;
    },
    call: (request: Request) => call(current().app, request),
  };
}

async function call(app: ApiServer, request: Request) {
  const response = await app.inject({
    method: request.method,
    url: request.path,
    headers: {
      ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
      ...(request.key === undefined ? {} : { "x-api-key": request.key }),
      ...(request.body === undefined && request.rawBody === undefined ? {} : { "content-type": "application/json" }),
      ...request.headers,
    },
    ...payloadOf(request),
    ...(request.remoteAddress === undefined ? {} : { remoteAddress: request.remoteAddress }),
  });
  const answer = {
    method: request.method,
    path: request.path,
    status: response.statusCode,
    contentType: response.headers["content-type"] ?? "",
    body: response.body,
  };
  requireDocumented(answer);
  requireDeclaredHeaders(answer, response.headers);
  return { status: response.statusCode, headers: response.headers, text: response.body, json: () => response.json() };
}

function payloadOf({ body, rawBody }: Request) {
  if (rawBody !== undefined) return { payload: rawBody };
  return body === undefined ? {} : { payload: JSON.stringify(body) };
}
