import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aLogin } from "../../../test/builders.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { AppError, errorCodes } from "../../errors.ts";

const api = useTestApi();
let token = "";
let address = "";

beforeAll(async () => {
  token = (await aLogin(api.database.db, api.deps.loginDeps)).accessToken;
  address = await api.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => api.app.server.closeAllConnections());

const path = "/api/v1/api-keys";
const json = { "content-type": "application/json" };

describe("every refusal has the published error body", () => {
  test("an unknown route is 404 NOT_FOUND", async () => {
    expectError(await api.call({ method: "GET", path: "/api/v1/nothing" }), 404, "NOT_FOUND");
  });

  test.for([
    "/%zz",
    "/api/v1/api-keys/%",
    "/api/v1/api-keys/%c3%28",
    `/api/v1/api-keys/${"x".repeat(2000)}`,
    "//",
    "/a/../b",
  ])("a path that is no path is 404 NOT_FOUND: %s", async (odd) => {
    api.logLines.length = 0;
    const answer = await api.call({ method: "DELETE", path: odd, token });
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(api.logLines.filter((line) => line.includes("request.answered"))).toHaveLength(1);
    expectError(answer, 404, "NOT_FOUND");
  });

  test("a known path with another method is 405 with Allow", async () => {
    const answer = await api.call({ method: "PUT", path });
    expectError(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.headers.allow).toBe("GET, HEAD, POST");
    expect((await api.call({ method: "PATCH", path: `${path}/1?x=1` })).headers.allow).toBe("DELETE");
  });

  test.for([
    ["malformed JSON", '{"name":', "not_json"],
    ["an empty body", "", "wrong_type"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "not_utf8"],
    ["a NUL", '{"name":"a\\u0000b","type":"live"}', "not_storable"],
    ["a lone high surrogate", '{"name":"\\ud800","type":"live"}', "not_storable"],
    ["a lone low surrogate in a field name", '{"\\udc00":1}', "not_storable"],
    ["__proto__", '{"__proto__":{"type":"live"},"name":"x"}', "unknown_field"],
    ["__proto__ spelt with escapes", '{"\\u005f_proto__":{"type":"live"},"name":"x"}', "unknown_field"],
    ["deep nesting around an escape", `${'{"a":'.repeat(50)}"\\u0000"${"}".repeat(50)}`, "too_deep"],
  ] as const)("%s is 422 VALIDATION_ERROR", async ([, rawBody, code]) => {
    const answer = await api.call({ method: "POST", path, token, rawBody, headers: json });
    expectError(answer, 422, "VALIDATION_ERROR");
    expect(answer.json().error.details).toEqual([expect.objectContaining({ field: "body", code })]);
  });

  test("nesting of ten thousand levels is 422 and nothing worse", async () => {
    const rawBody = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    expectError(await api.call({ method: "POST", path, token, rawBody, headers: json }), 422, "VALIDATION_ERROR");
  });

  test("a whole surrogate pair is a character like any other", async () => {
    const answer = await api.call({ method: "POST", path, token, rawBody: '{"name":"\\ud83d\\udd11","type":"live"}' });
    expect([answer.status, answer.json().name]).toEqual([201, "🔑"]);
  });

  test.for(["text/plain", "application/xml", "multipart/form-data", "application/jsonx", "nonsense"])(
    "a body as %s is 415 UNSUPPORTED_MEDIA_TYPE",
    async (type) => {
      const answer = await api.call({ method: "POST", path, token, rawBody: "{}", headers: { "content-type": type } });
      expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    },
  );

  test("JSON with a charset is accepted", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await api.call({ method: "POST", path, token, rawBody: '{"name":"k","type":"live"}', headers });
    expect(answer.status).toBe(201);
  });

  test("a body that is too large is 413 PAYLOAD_TOO_LARGE", async () => {
    const body = { name: "x".repeat(70_000), type: "live" };
    expectError(await api.call({ method: "POST", path, token, body }), 413, "PAYLOAD_TOO_LARGE");
  });

  test("a bug is 500 INTERNAL, logged once, and nothing of it is in the answer", async () => {
    const { loginDeps } = api.deps;
    const whole = loginDeps.refreshTokens.read;
    loginDeps.refreshTokens.read = () => {
      throw new Error("select secret from accounts at /src/x.ts:1");
    };
    const answer = await api.call({ method: "POST", path: "/api/v1/auth/refresh", body: { refresh_token: "x" } });
    loginDeps.refreshTokens.read = whole;
    expectError(answer, 500, "INTERNAL");
    expect(answer.text).not.toMatch(/select|secret|\.ts|stack/);
    const logged = api.logLines.filter((line) => line.includes("request.broke"));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(String(answer.headers["x-request-id"]));
  });

  test("an absent database is 503 UNAVAILABLE with Retry-After", async () => {
    const { authenticator } = api.deps;
    const whole = authenticator.db;
    const unavailable = new AppError("UNAVAILABLE", "The database cannot be reached.", { retryAfterSeconds: 2 });
    authenticator.db = { ...whole, query: () => Promise.reject(unavailable) };
    const answer = await api.call({ method: "GET", path, token });
    authenticator.db = whole;
    expectError(answer, 503, "UNAVAILABLE");
    expect(answer.headers["retry-after"]).toBe("2");
  });
});

describe("what never became a request is answered in the same shape", () => {
  test("bytes that are not HTTP are 400 BAD_REQUEST", async () => {
    expectRaw(await rawExchange("nonsense\r\n\r\n"), 400, "BAD_REQUEST");
  });

  test("headers without end are 431 HEADERS_TOO_LARGE", async () => {
    expectRaw(await rawExchange(`GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`), 431, "HEADERS_TOO_LARGE");
  });

  test("an unknown method is 400 BAD_REQUEST", async () => {
    expectRaw(await rawExchange("BREW /pot HTTP/1.1\r\nhost: x\r\n\r\n"), 400, "BAD_REQUEST");
  });

  test("a request without a Host header is answered like any other", async () => {
    expect(await rawExchange("GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n")).toContain('{"status":"alive"}');
  });
});

describe("X-Request-Id", () => {
  test("a harmless one is kept and given back in header and body", async () => {
    const answer = await api.call({ method: "GET", path, headers: { "x-request-id": "order-17.a_b" } });
    expect(answer.headers["x-request-id"]).toBe("order-17.a_b");
    expect(answer.json().error.request_id).toBe("order-17.a_b");
  });

  test.for(["", "a b", "a\u00e4", "x".repeat(129), '"quoted"'])("%j is replaced", async (given) => {
    const answer = await api.call({ method: "GET", path: "/healthz", headers: { "x-request-id": given } });
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("health", () => {
  test("/healthz and /readyz answer without a credential", async () => {
    expect((await api.call({ method: "GET", path: "/healthz" })).json()).toEqual({ status: "alive" });
    expect((await api.call({ method: "GET", path: "/readyz" })).json()).toEqual({ status: "ready" });
  });

  test("/readyz is 503 when the process cannot do its work", async () => {
    const whole = api.deps.readiness;
    const checks = { database: "unreachable", schema: "unknown", partitions: "unknown" } as const;
    api.deps.readiness = async () => ({ isReady: false, checks });
    const answer = await api.call({ method: "GET", path: "/readyz" });
    api.deps.readiness = whole;
    expectError(answer, 503, "UNAVAILABLE");
    expect(answer.headers["retry-after"]).toBe("2");
  });
});

test("every error code has a page at its doc_url", async () => {
  for (const code of errorCodes) {
    const { status, text } = await api.call({ method: "GET", path: `/errors/${code}` });
    expect(status).toBe(200);
    expect(text).toContain(code);
  }
  expectError(await api.call({ method: "GET", path: "/errors/NOPE" }), 404, "NOT_FOUND");
});

test("answers are not cached and not sniffed", async () => {
  const { headers } = await api.call({ method: "GET", path, token });
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
});

test("one log line per request, with the pattern of the route and not its path", async () => {
  api.logLines.length = 0;
  await api.call({ method: "DELETE", path: `${path}/someone%40example.com`, token });
  const lines = api.logLines.filter((line) => line.includes("request.answered"));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "DELETE", route: `${path}/:id`, status: 404 });
  expect(api.logLines.join("")).not.toContain("someone");
});

function expectError(answer: Awaited<ReturnType<typeof api.call>>, status: number, code: string): void {
  expect([answer.status, answer.json().error.code]).toEqual([status, code]);
  expect(answer.json()).toEqual({
    success: false,
    error: expect.objectContaining({
      message: expect.stringMatching(/\S/),
      request_id: answer.headers["x-request-id"],
      doc_url: `http://postern.test/errors/${code}`,
    }),
  });
}

function expectRaw(response: string, status: number, code: string): void {
  const [head = "", body = ""] = response.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${status} `);
  const { error } = JSON.parse(body);
  expect(error.code).toBe(code);
  expect(head).toContain(`X-Request-Id: ${error.request_id}`);
}

/** Everything the server says to these bytes until it closes the connection. */
function rawExchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}
