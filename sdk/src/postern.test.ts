import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  accepted,
  cutConnection,
  cutMidResponse,
  neverRespond,
  refuse,
  respond,
  respondHtml,
  type Step,
  stallMidResponse,
  startScriptedServer,
} from "../test/scripted-server.ts";
import { Postern, PosternError, type PosternOptions } from "./postern.ts";

const mail = {
  from: "Shop <orders@shop.test>",
  to: ["jane@example.test"],
  subject: "Your receipt",
  text: "Thank you.",
};
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A client that retries without waiting. */
async function aClient(steps: Step[], options: Partial<PosternOptions> = {}) {
  const { url, requests } = await startScriptedServer(...steps);
  return { postern: new Postern({ baseUrl: url, apiKey: "postern_live_x", maxWaitSeconds: 0, ...options }), requests };
}

describe("attachments", () => {
  const bodyOf = async (content: Uint8Array | string) => {
    const { postern, requests } = await aClient([accepted]);
    const file = { filename: "a.bin", content_id: "a" };
    await postern.send({ ...mail, attachments: [{ ...file, content }] });
    await postern.sends.validate({ ...mail, attachments: [{ ...file, content }] });
    const [sent, validated] = requests.map(({ body }) => body?.attachments as { content: string }[] | undefined);
    expect(validated).toEqual(sent);
    expect(sent).toMatchObject([file]);
    return sent?.[0]?.content;
  };

  test.for([0, 1, 2, 3, 24_575, 24_576, 24_577, 100_000])("%i bytes arrive as base64", async (length) => {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 31) % 256));
    expect(await bodyOf(bytes)).toBe(bytes.toString("base64"));
  });

  test("text is base64 already", async () => {
    expect(await bodyOf("YQ==")).toBe("YQ==");
  });

  test("a mail without attachments, or with null, stays as it is", async () => {
    const { postern, requests } = await aClient([accepted]);
    await postern.send({ ...mail, attachments: null });
    await postern.send(mail);
    expect(requests.map(({ body }) => body?.attachments)).toEqual([null, undefined]);
  });
});

describe("idempotency", () => {
  test("a mail without a key gets one, and the result contains the data", async () => {
    const { postern, requests } = await aClient([accepted]);
    const { data, error } = await postern.send(mail);
    expect(error).toBeNull();
    expect(data?.status).toBe("queued");
    expect(requests[0]).toMatchObject({ method: "POST", path: "/api/v1/send" });
    expect(requests[0]?.body).toEqual({ ...mail, idempotency_key: expect.stringMatching(uuid) });
  });

  test("two mails get different keys, and the client keeps a key of the caller", async () => {
    const { postern, requests } = await aClient([accepted]);
    await postern.send(mail);
    await postern.send(mail);
    await postern.send({ ...mail, idempotency_key: "receipt-1" });
    const keys = requests.map(({ body }) => body?.idempotency_key);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe("receipt-1");
  });

  test("all attempts send the same key and the same bytes after any kind of lost response", async () => {
    const steps = [
      cutConnection,
      cutMidResponse,
      refuse(503, "UNAVAILABLE"),
      refuse(429, "RATE_LIMIT_EXCEEDED"),
      accepted,
    ];
    const { postern, requests } = await aClient(steps, { retries: 4 });
    const { error } = await postern.send(mail);
    expect(error).toBeNull();
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  test("a change to the mail object during the call changes no attempt", async () => {
    const { postern, requests } = await aClient([cutConnection, accepted]);
    const changing = { ...mail, to: ["jane@example.test"] };
    const call = postern.send(changing);
    changing.to.push("mallory@example.test");
    await call;
    expect(requests.map(({ body }) => body?.to)).toEqual([["jane@example.test"], ["jane@example.test"]]);
  });

  test("the error of a send contains its key, so that the caller can retry", async () => {
    const { postern, requests } = await aClient([cutConnection], { retries: 0 });
    const { error } = await postern.send(mail);
    expect(error?.idempotencyKey).toBe(requests[0]?.body?.idempotency_key);
    expect((await postern.sends.status("an-id")).error?.idempotencyKey).toBeUndefined();
  });
});

describe("errors", () => {
  test("the error has the code, message, status, details and request id of the service", async () => {
    const details = [{ field: "to", code: "required", message: "is required" }];
    const { postern, requests } = await aClient([refuse(422, "VALIDATION_ERROR", { details })]);
    const { data, error } = await postern.send(mail);
    expect(data).toBeNull();
    expect(error).toBeInstanceOf(PosternError);
    expect(error).toMatchObject({
      name: "PosternError",
      code: "VALIDATION_ERROR",
      message: "The code is VALIDATION_ERROR.",
      status: 422,
      details,
      requestId: requests[0]?.headers["x-request-id"],
      retryAfter: undefined,
    });
  });

  test.for([400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 431])("the client does not retry %d", async (status) => {
    const { postern, requests } = await aClient([refuse(status, "ANY"), accepted]);
    expect((await postern.send(mail)).error?.status).toBe(status);
    expect(requests).toHaveLength(1);
  });

  test.for([429, 500, 502, 503, 504])("the client retries %d as often as the option says", async (status) => {
    const { postern, requests } = await aClient([refuse(status, "ANY")], { retries: 2 });
    expect((await postern.send(mail)).error?.status).toBe(status);
    expect(requests).toHaveLength(3);
  });

  test("the client does not retry a send above a quota, and reports when the quota has room", async () => {
    const { postern, requests } = await aClient([refuse(429, "QUOTA_EXCEEDED", { retryAfter: "18720" }), accepted]);
    expect((await postern.send(mail)).error).toMatchObject({ code: "QUOTA_EXCEEDED", status: 429, retryAfter: 18_720 });
    expect(requests).toHaveLength(1);
  });

  test("the error keeps a code that this package does not know", async () => {
    const { postern } = await aClient([refuse(402, "PAYMENT_REQUIRED")]);
    expect((await postern.send(mail)).error?.code).toBe("PAYMENT_REQUIRED");
  });

  test("a proxy page is UNEXPECTED_ANSWER with its status, and the client retries it only on 5xx", async () => {
    const { postern, requests } = await aClient([respondHtml(502), respondHtml(404, { "x-request-id": "proxy-7" })]);
    const { error } = await postern.send(mail);
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 404, details: [], requestId: "proxy-7" });
    expect(error?.message).toContain("Check baseUrl");
    expect(requests).toHaveLength(2);
  });

  test("a success response without JSON is UNEXPECTED_ANSWER, without a retry", async () => {
    const { postern, requests } = await aClient([respondHtml(200)]);
    expect((await postern.send(mail)).error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 200 });
    expect(requests).toHaveLength(1);
  });

  test("the client follows no redirect, so the key reaches no other host", async () => {
    const elsewhere = await startScriptedServer(accepted);
    const { postern } = await aClient([respondHtml(307, { location: elsewhere.url })]);
    expect((await postern.send(mail)).error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test("an unreachable server is an error result with the client.s request id", async () => {
    const postern = new Postern({ baseUrl: await aClosedPort(), apiKey: "postern_live_x", maxWaitSeconds: 0 });
    const { error } = await postern.send(mail);
    expect(error).toMatchObject({
      code: "CONNECTION_FAILED",
      status: undefined,
      requestId: expect.stringMatching(uuid),
    });
    expect(error?.message).toContain("ECONNREFUSED");
  });

  test("the client retries when the server closes the connection before it reads the request", async () => {
    const { url, requests, closeNext } = await startScriptedServer(accepted);
    const postern = new Postern({ baseUrl: url, apiKey: "postern_live_x", maxWaitSeconds: 0 });
    closeNext(2);
    expect((await postern.send(mail)).error).toBeNull();
    expect(requests).toHaveLength(1);
  });

  test("the error has the request id of the response body or header when the response has one", async () => {
    const body = { error: { code: "NOT_FOUND", message: "m", request_id: "from-body" } };
    const inBody = await aClient([respond(404, body, { "x-request-id": "from-header" })]);
    expect((await inBody.postern.account()).error?.requestId).toBe("from-body");
    const inHeader = await aClient([respondHtml(404, { "x-request-id": "from-header" })]);
    expect((await inHeader.postern.account()).error?.requestId).toBe("from-header");
  });

  test("all attempts of a call share one request id, and each call has its own", async () => {
    const { postern, requests } = await aClient([cutConnection, accepted]);
    await postern.send(mail);
    await postern.send(mail);
    const ids = requests.map(({ headers }) => headers["x-request-id"]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("orThrow resolves to the data or throws the same error", async () => {
    const { postern } = await aClient([accepted, refuse(409, "CONFLICT")]);
    expect((await postern.send(mail).orThrow()).status).toBe("queued");
    const thrown: unknown = await postern
      .send(mail)
      .orThrow()
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PosternError);
    expect(thrown).toMatchObject({ code: "CONFLICT", status: 409 });
  });
});

describe("timeouts and signals", () => {
  test.for([
    ["no response", neverRespond],
    ["half a response", stallMidResponse],
  ] as const)("%s before the timeout leads to a retry with the same key", async ([, step]) => {
    const { postern, requests } = await aClient([step, accepted], { timeoutSeconds: 0.5 });
    expect((await postern.send(mail)).error).toBeNull();
    expect(requests[0]?.body).toEqual(requests[1]?.body);
  });

  test("the last timeout is the result of the call", async () => {
    let attempts = 0;
    const { postern } = await aClient([neverRespond], {
      fetch: (...request) => {
        attempts++;
        return fetch(...request);
      },
    });
    const { error } = await postern.send(mail, { timeoutSeconds: 0.05, retries: 1 });
    expect(error).toMatchObject({ code: "TIMEOUT", status: undefined, requestId: expect.stringMatching(uuid) });
    expect(attempts).toBe(2);
  });

  test("an abort ends a running request without a retry", async () => {
    const controller = new AbortController();
    const { postern, requests } = await aClient([() => controller.abort(new Error("no longer needed"))]);
    const { error } = await postern.send(mail, { signal: controller.signal });
    expect(error).toMatchObject({ code: "ABORTED", cause: { message: "no longer needed" } });
    expect(requests).toHaveLength(1);
  });

  test("a call aborted before it starts sends no request", async () => {
    const { postern, requests } = await aClient([accepted]);
    expect((await postern.send(mail, { signal: AbortSignal.abort() })).error?.code).toBe("ABORTED");
    expect(requests).toHaveLength(0);
  });
});

describe("operations that must not run twice", () => {
  const calls: [string, (postern: Postern) => Promise<unknown>][] = [
    ["creating a key", (postern) => postern.apiKeys.create({ name: "a key", type: "live" })],
    ["registering a domain", (postern) => postern.domains.register({ domain_name: "shop.test" })],
    ["refreshing a login", (postern) => postern.auth.refresh({ refresh_token: "r" })],
  ];

  test.for(calls)("%s is retried on 429, but not after an unknown outcome", async ([, call]) => {
    const broken = await aClient([cutConnection]);
    await call(broken.postern);
    expect(broken.requests).toHaveLength(1);
    const limited = await aClient([refuse(429, "RATE_LIMIT_EXCEEDED"), respond(201, {})]);
    await call(limited.postern);
    expect(limited.requests).toHaveLength(2);
  });
});

describe("programming errors", () => {
  test.for(["", ".", ".."])("the client refuses the id %j without a request", async (id) => {
    const { postern, requests } = await aClient([accepted]);
    await expect(postern.apiKeys.revoke(id)).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(0);
  });

  test.for(["", "mail.example.com", "ftp://mail.example.com", "https://me:secret@mail.example.com"])(
    "the client refuses the base URL %j",
    (baseUrl) => {
      expect(() => new Postern({ baseUrl })).toThrow(/^baseUrl must be the address/);
    },
  );

  test.for(["/", "/api/v1", "/api/v1/"])("a base URL may end in %s", async (end) => {
    const { url, requests } = await startScriptedServer(accepted);
    await new Postern({ baseUrl: `${url}/mail${end}`, apiKey: "k" }).send(mail);
    expect(requests[0]?.path).toBe("/mail/api/v1/send");
  });

  test.for([{ timeoutSeconds: 0 }, { timeoutSeconds: Number.NaN }, { retries: -1 }, { maxWaitSeconds: Infinity }])(
    "the client refuses %o",
    (options) => {
      expect(() => new Postern({ baseUrl: "http://127.0.0.1", ...options })).toThrow(RangeError);
    },
  );

  test("no error message and no printed client contains a secret", () => {
    const apiKey = "postern_live_sécret";
    expect(() => new Postern({ baseUrl: "http://127.0.0.1", apiKey })).toThrow(/^apiKey is empty or has characters/);
    const postern = new Postern({ baseUrl: "http://127.0.0.1", apiKey: "postern_live_secret", accessToken: "secret" });
    expect(inspect(postern, { depth: 9, showHidden: true }) + JSON.stringify(postern)).not.toContain("secret");
  });
});

/** The URL of a port on which no server listens. */
async function aClosedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}
