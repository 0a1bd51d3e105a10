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

describe("every error response has the published body", () => {
  test("an unknown path returns 404 NOT_FOUND", async () => {
    expectError(await api.call({ method: "GET", path: "/api/v1/nothing" }), 404, "NOT_FOUND");
  });

  test.for([
    "/%zz",
    "/api/v1/api-keys/%",
    "/api/v1/api-keys/%c3%28",
    `/api/v1/api-keys/${"x".repeat(2000)}`,
    "//",
    "/a/../b",
  ])("the malformed path %s returns 404 NOT_FOUND", async (malformed) => {
    api.logLines.length = 0;
    const response = await api.call({ method: "DELETE", path: malformed, token });
    expect(response.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(api.logLines.filter((line) => line.includes("request.completed"))).toHaveLength(1);
    expectError(response, 404, "NOT_FOUND");
  });

  test("an unsupported method on a known path returns 405 with the Allow header", async () => {
    const response = await api.call({ method: "PUT", path });
    expectError(response, 405, "METHOD_NOT_ALLOWED");
    expect(response.headers.allow).toBe("GET, HEAD, POST");
    expect((await api.call({ method: "PATCH", path: `${path}/1?x=1` })).headers.allow).toBe("DELETE");
  });

  test.for([
    ["malformed JSON", '{"name":', "not_json"],
    ["no content", "", "wrong_type"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "not_utf8"],
    ["a NUL", '{"name":"a\\u0000b","type":"live"}', "not_storable"],
    ["a lone high surrogate", '{"name":"\\ud800","type":"live"}', "not_storable"],
    ["a lone low surrogate in a field name", '{"\\udc00":1}', "not_storable"],
    ["__proto__", '{"__proto__":{"type":"live"},"name":"x"}', "unknown_field"],
    ["__proto__ spelt with escapes", '{"\\u005f_proto__":{"type":"live"},"name":"x"}', "unknown_field"],
    ["deep nesting around an escape", `${'{"a":'.repeat(50)}"\\u0000"${"}".repeat(50)}`, "too_deep"],
  ] as const)("a body with %s returns 422 VALIDATION_ERROR", async ([, rawBody, code]) => {
    const response = await api.call({ method: "POST", path, token, rawBody, headers: json });
    expectError(response, 422, "VALIDATION_ERROR");
    expect(response.json().error.details).toEqual([expect.objectContaining({ field: "body", code })]);
  });

  test("a body nested ten thousand levels deep returns 422 VALIDATION_ERROR", async () => {
    const rawBody = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    expectError(await api.call({ method: "POST", path, token, rawBody, headers: json }), 422, "VALIDATION_ERROR");
  });

  test("a complete surrogate pair is accepted", async () => {
    const response = await api.call({
      method: "POST",
      path,
      token,
      rawBody: '{"name":"\\ud83d\\udd11","type":"live"}',
    });
    expect([response.status, response.json().name]).toEqual([201, "🔑"]);
  });

  test.for(["text/plain", "application/xml", "multipart/form-data", "application/jsonx", "nonsense"])(
    "a body with the content type %s returns 415 UNSUPPORTED_MEDIA_TYPE",
    async (type) => {
      const response = await api.call({
        method: "POST",
        path,
        token,
        rawBody: "{}",
        headers: { "content-type": type },
      });
      expectError(response, 415, "UNSUPPORTED_MEDIA_TYPE");
    },
  );

  test("a JSON content type with a charset is accepted", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const response = await api.call({ method: "POST", path, token, rawBody: '{"name":"k","type":"live"}', headers });
    expect(response.status).toBe(201);
  });

  test.for([
    ["the charset utf-16", { "content-type": "application/json; charset=utf-16" }, "charset other than UTF-8"],
    [
      "the charset iso-8859-1",
      { "content-type": 'application/json; charset="ISO-8859-1"' },
      "charset other than UTF-8",
    ],
    ["gzip", { "content-encoding": "gzip" }, "compressed body, such as gzip"],
    ["br", { "content-encoding": "br" }, "compressed body, such as gzip"],
  ] as const)("a body in %s returns 415 UNSUPPORTED_MEDIA_TYPE, which names the header", async ([, headers, text]) => {
    const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
    for (const where of [path, "/api/v1/send"]) {
      const rawBody = Buffer.from([0x1f, 0x8b, 0x08]);
      const response = await api.call({
        method: "POST",
        path: where,
        token: accessToken,
        rawBody,
        headers: { ...json, ...headers },
      });
      expectError(response, 415, "UNSUPPORTED_MEDIA_TYPE");
      expect(response.json().error.message).toContain(text);
    }
  });

  test.for([
    [path, 70_000, "64 KiB"],
    ["/api/v1/send", 9_000_000, "8 MiB"],
  ] as const)(
    "a body over the limit of %s returns 413 PAYLOAD_TOO_LARGE with the limit",
    async ([where, size, limit]) => {
      const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
      const response = await api.call({
        method: "POST",
        path: where,
        token: accessToken,
        body: { name: "x".repeat(size) },
      });
      expectError(response, 413, "PAYLOAD_TOO_LARGE");
      expect(response.json().error.message).toContain(`larger than ${limit}`);
    },
  );

  test("every 401 has a WWW-Authenticate challenge", async () => {
    const login = { method: "POST", path: "/api/v1/auth/login", body: { email: "a@b.io", password: "x" } } as const;
    for (const request of [
      { method: "GET", path } as const,
      { method: "POST", path: "/api/v1/send" } as const,
      login,
    ]) {
      const response = await api.call(request);
      expectError(response, 401, "UNAUTHORIZED");
      expect(response.headers["www-authenticate"]).toBe('Bearer realm="Postern"');
    }
  });

  test("a bug returns 500 INTERNAL, is logged once, and leaves no detail in the response", async () => {
    const { loginDeps } = api.deps;
    const original = loginDeps.refreshTokens.read;
    loginDeps.refreshTokens.read = () => {
      throw new Error("select secret from accounts at /src/x.ts:1");
    };
    const response = await api.call({ method: "POST", path: "/api/v1/auth/refresh", body: { refresh_token: "x" } });
    loginDeps.refreshTokens.read = original;
    expectError(response, 500, "INTERNAL");
    expect(response.text).not.toMatch(/select|secret|\.ts|stack/);
    const logged = api.logLines.filter((line) => line.includes("request.internal-error"));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(String(response.headers["x-request-id"]));
  });

  test("an unreachable database returns 503 UNAVAILABLE with Retry-After", async () => {
    const { authenticator } = api.deps;
    const original = authenticator.lookup;
    const unavailable = new AppError("UNAVAILABLE", "The database cannot be reached.", { retryAfterSeconds: 2 });
    authenticator.lookup = { ...original, findLogin: () => Promise.reject(unavailable) };
    const response = await api.call({ method: "GET", path, token });
    authenticator.lookup = original;
    expectError(response, 503, "UNAVAILABLE");
    expect(response.headers["retry-after"]).toBe("2");
  });
});

describe("a request that the HTTP parser rejects gets the published error body", () => {
  test("bytes that are not HTTP return 400 BAD_REQUEST", async () => {
    expectRaw(await rawExchange("nonsense\r\n\r\n"), 400, "BAD_REQUEST");
  });

  test("headers over the limit return 431 HEADERS_TOO_LARGE", async () => {
    expectRaw(await rawExchange(`GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`), 431, "HEADERS_TOO_LARGE");
  });

  test("an unknown method returns 400 BAD_REQUEST", async () => {
    expectRaw(await rawExchange("BREW /pot HTTP/1.1\r\nhost: x\r\n\r\n"), 400, "BAD_REQUEST");
  });

  test("a request without a Host header is served", async () => {
    expect(await rawExchange("GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n")).toContain('{"status":"alive"}');
  });
});

describe("X-Request-Id", () => {
  test("a safe value from the caller is returned in the header and in the error body", async () => {
    const response = await api.call({ method: "GET", path, headers: { "x-request-id": "order-17.a_b" } });
    expect(response.headers["x-request-id"]).toBe("order-17.a_b");
    expect(response.json().error.request_id).toBe("order-17.a_b");
  });

  test.for(["", "a b", "a\u00e4", "x".repeat(129), '"quoted"'])(
    "the unsafe value %j is replaced by a generated one",
    async (given) => {
      const response = await api.call({ method: "GET", path: "/healthz", headers: { "x-request-id": given } });
      expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe("the health endpoints", () => {
  test("/healthz and /readyz need no credential", async () => {
    expect((await api.call({ method: "GET", path: "/healthz" })).json()).toEqual({ status: "alive" });
    expect((await api.call({ method: "GET", path: "/readyz" })).json()).toEqual({ status: "ready" });
  });

  test("/readyz returns 503 UNAVAILABLE while the process cannot serve requests", async () => {
    const original = api.deps.readiness;
    api.deps.readiness = async () => ({ isReady: false });
    const response = await api.call({ method: "GET", path: "/readyz" });
    api.deps.readiness = original;
    expectError(response, 503, "UNAVAILABLE");
    expect(response.headers["retry-after"]).toBe("2");
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

test("responses forbid caching and content sniffing", async () => {
  const { headers } = await api.call({ method: "GET", path, token });
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
});

test("each request writes one log line with the route pattern instead of the path", async () => {
  api.logLines.length = 0;
  await api.call({ method: "DELETE", path: `${path}/someone%40example.com`, token });
  const lines = api.logLines.filter((line) => line.includes("request.completed"));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "DELETE", route: `${path}/:id`, status: 404 });
  expect(api.logLines.join("")).not.toContain("someone");
});

function expectError(response: Awaited<ReturnType<typeof api.call>>, status: number, code: string): void {
  expect([response.status, response.json().error.code]).toEqual([status, code]);
  expect(response.json()).toEqual({
    success: false,
    error: expect.objectContaining({
      message: expect.stringMatching(/\S/),
      request_id: response.headers["x-request-id"],
      doc_url: `http://postern.test/errors/${code}`,
    }),
  });
}

function expectRaw(rawResponse: string, status: number, code: string): void {
  const [head = "", body = ""] = rawResponse.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${status} `);
  const { error } = JSON.parse(body);
  expect(error.code).toBe(code);
  expect(head).toContain(`X-Request-Id: ${error.request_id}`);
}

/** Sends the bytes and returns everything the server writes until it closes the connection. */
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
