import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  accepted,
  answer,
  cut,
  cutInTheMiddle,
  html,
  refuse,
  type Step,
  stallInTheMiddle,
  startScriptedServer,
  stayQuiet,
} from "../test/scripted-server.ts";
import { Postern, PosternError, type PosternOptions } from "./postern.ts";

const mail = {
  from: "Shop <orders@shop.test>",
  to: ["jane@example.test"],
  subject: "Your receipt",
  text: "Thank you.",
};
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Repeats without waiting. */
async function aClient(steps: Step[], options: Partial<PosternOptions> = {}) {
  const { url, requests } = await startScriptedServer(...steps);
  return { postern: new Postern({ baseUrl: url, apiKey: "postern_live_x", maxWaitSeconds: 0, ...options }), requests };
}

describe("idempotency", () => {
  test("a mail without a key gets one, and the answer is the data", async () => {
    const { postern, requests } = await aClient([accepted]);
    const { data, error } = await postern.send(mail);
    expect(error).toBeNull();
    expect(data?.status).toBe("queued");
    expect(requests[0]).toMatchObject({ method: "POST", path: "/api/v1/send" });
    expect(requests[0]?.body).toEqual({ ...mail, idempotency_key: expect.stringMatching(uuid) });
  });

  test("two mails get two keys, and a key that is given is left as it is", async () => {
    const { postern, requests } = await aClient([accepted]);
    await postern.send(mail);
    await postern.send(mail);
    await postern.send({ ...mail, idempotency_key: "receipt-1" });
    const keys = requests.map(({ body }) => body?.idempotency_key);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe("receipt-1");
  });

  test("however an answer gets lost, every attempt has the same key and the same bytes", async () => {
    const steps = [cut, cutInTheMiddle, refuse(503, "UNAVAILABLE"), refuse(429, "RATE_LIMIT_EXCEEDED"), accepted];
    const { postern, requests } = await aClient(steps, { retries: 4 });
    const { error } = await postern.send(mail);
    expect(error).toBeNull();
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  test("changing the mail while it is being sent changes nothing", async () => {
    const { postern, requests } = await aClient([cut, accepted]);
    const changing = { ...mail, to: ["jane@example.test"] };
    const call = postern.send(changing);
    changing.to.push("mallory@example.test");
    await call;
    expect(requests.map(({ body }) => body?.to)).toEqual([["jane@example.test"], ["jane@example.test"]]);
  });

  test("a failed send tells the key, so that the caller can go on with it", async () => {
    const { postern, requests } = await aClient([cut], { retries: 0 });
    const { error } = await postern.send(mail);
    expect(error?.idempotencyKey).toBe(requests[0]?.body?.idempotency_key);
    expect((await postern.sends.status("an-id")).error?.idempotencyKey).toBeUndefined();
  });
});

describe("errors", () => {
  test("a refusal carries code, message, status, details and request id", async () => {
    const details = [{ field: "to", code: "required", message: "is required" }];
    const { postern, requests } = await aClient([refuse(422, "VALIDATION_ERROR", { details })]);
    const { data, error } = await postern.send(mail);
    expect(data).toBeNull();
    expect(error).toBeInstanceOf(PosternError);
    expect(error).toMatchObject({
      name: "PosternError",
      code: "VALIDATION_ERROR",
      message: "It is VALIDATION_ERROR.",
      status: 422,
      details,
      requestId: requests[0]?.headers["x-request-id"],
      retryAfter: undefined,
    });
  });

  test.for([400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 431])("%d is not repeated", async (status) => {
    const { postern, requests } = await aClient([refuse(status, "ANY"), accepted]);
    expect((await postern.send(mail)).error?.status).toBe(status);
    expect(requests).toHaveLength(1);
  });

  test.for([429, 500, 502, 503, 504])("%d is repeated as often as asked for", async (status) => {
    const { postern, requests } = await aClient([refuse(status, "ANY")], { retries: 2 });
    expect((await postern.send(mail)).error?.status).toBe(status);
    expect(requests).toHaveLength(3);
  });

  test("a code that this package does not know is passed on", async () => {
    const { postern } = await aClient([refuse(402, "QUOTA_EXCEEDED")]);
    expect((await postern.send(mail)).error?.code).toBe("QUOTA_EXCEEDED");
  });

  test("a page of a proxy is an unexpected answer with its status, and repeated only when it is a 5xx", async () => {
    const { postern, requests } = await aClient([html(502), html(404, { "x-request-id": "proxy-7" })]);
    const { error } = await postern.send(mail);
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 404, details: [], requestId: "proxy-7" });
    expect(error?.message).toContain("Check baseUrl");
    expect(requests).toHaveLength(2);
  });

  test("a success that is no JSON is an unexpected answer and not repeated", async () => {
    const { postern, requests } = await aClient([html(200)]);
    expect((await postern.send(mail)).error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 200 });
    expect(requests).toHaveLength(1);
  });

  test("a redirect is not followed, so the key goes nowhere else", async () => {
    const elsewhere = await startScriptedServer(accepted);
    const { postern } = await aClient([html(307, { location: elsewhere.url })]);
    expect((await postern.send(mail)).error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test("a server that cannot be reached is a result with our own request id", async () => {
    const postern = new Postern({ baseUrl: await aClosedPort(), apiKey: "postern_live_x", maxWaitSeconds: 0 });
    const { error } = await postern.send(mail);
    expect(error).toMatchObject({
      code: "CONNECTION_FAILED",
      status: undefined,
      requestId: expect.stringMatching(uuid),
    });
    expect(error?.message).toContain("ECONNREFUSED");
  });

  test("a connection that is closed before the request is read is tried again", async () => {
    const { url, requests, closeNext } = await startScriptedServer(accepted);
    const postern = new Postern({ baseUrl: url, apiKey: "postern_live_x", maxWaitSeconds: 0 });
    closeNext(2);
    expect((await postern.send(mail)).error).toBeNull();
    expect(requests).toHaveLength(1);
  });

  test("an id that the service or a proxy gave instead of ours counts", async () => {
    const body = { error: { code: "NOT_FOUND", message: "m", request_id: "from-body" } };
    const inBody = await aClient([answer(404, body, { "x-request-id": "from-header" })]);
    expect((await inBody.postern.account()).error?.requestId).toBe("from-body");
    const inHeader = await aClient([html(404, { "x-request-id": "from-header" })]);
    expect((await inHeader.postern.account()).error?.requestId).toBe("from-header");
  });

  test("all attempts of a call have one request id, and calls have different ones", async () => {
    const { postern, requests } = await aClient([cut, accepted]);
    await postern.send(mail);
    await postern.send(mail);
    const ids = requests.map(({ headers }) => headers["x-request-id"]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("orThrow gives the data, or throws the same error", async () => {
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
    ["no answer", stayQuiet],
    ["half an answer", stallInTheMiddle],
  ] as const)("%s in time is tried again, with the same key", async ([, step]) => {
    const { postern, requests } = await aClient([step, accepted], { timeoutSeconds: 0.5 });
    expect((await postern.send(mail)).error).toBeNull();
    expect(requests[0]?.body).toEqual(requests[1]?.body);
  });

  test("the last timeout is the result", async () => {
    let attempts = 0;
    const { postern } = await aClient([stayQuiet], {
      fetch: (...request) => {
        attempts++;
        return fetch(...request);
      },
    });
    const { error } = await postern.send(mail, { timeoutSeconds: 0.05, retries: 1 });
    expect(error).toMatchObject({ code: "TIMEOUT", status: undefined, requestId: expect.stringMatching(uuid) });
    expect(attempts).toBe(2);
  });

  test("aborting ends a request that is under way, and is not tried again", async () => {
    const controller = new AbortController();
    const { postern, requests } = await aClient([() => controller.abort(new Error("no longer needed"))]);
    const { error } = await postern.send(mail, { signal: controller.signal });
    expect(error).toMatchObject({ code: "ABORTED", cause: { message: "no longer needed" } });
    expect(requests).toHaveLength(1);
  });

  test("a call that is aborted before it starts asks nothing", async () => {
    const { postern, requests } = await aClient([accepted]);
    expect((await postern.send(mail, { signal: AbortSignal.abort() })).error?.code).toBe("ABORTED");
    expect(requests).toHaveLength(0);
  });
});

describe("what must not be done twice", () => {
  const calls: [string, (postern: Postern) => Promise<unknown>][] = [
    ["creating a key", (postern) => postern.apiKeys.create({ name: "a key", type: "live" })],
    ["registering a domain", (postern) => postern.domains.register({ domain_name: "shop.test" })],
    ["refreshing a login", (postern) => postern.auth.refresh({ refresh_token: "r" })],
  ];

  test.for(calls)("%s is not repeated when its outcome is unknown, but on 429", async ([, call]) => {
    const broken = await aClient([cut]);
    await call(broken.postern);
    expect(broken.requests).toHaveLength(1);
    const limited = await aClient([refuse(429, "RATE_LIMIT_EXCEEDED"), answer(201, {})]);
    await call(limited.postern);
    expect(limited.requests).toHaveLength(2);
  });
});

describe("mistakes of the program", () => {
  test.for(["", ".", ".."])("the id %j is refused before anything is sent", async (id) => {
    const { postern, requests } = await aClient([accepted]);
    await expect(postern.apiKeys.revoke(id)).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(0);
  });

  test.for(["", "mail.example.com", "ftp://mail.example.com", "https://me:secret@mail.example.com"])(
    "the base address %j is refused",
    (baseUrl) => {
      expect(() => new Postern({ baseUrl })).toThrow(/^baseUrl must be the address/);
    },
  );

  test.for(["/", "/api/v1", "/api/v1/"])("a base address may end in %s", async (end) => {
    const { url, requests } = await startScriptedServer(accepted);
    await new Postern({ baseUrl: `${url}/mail${end}`, apiKey: "k" }).send(mail);
    expect(requests[0]?.path).toBe("/mail/api/v1/send");
  });

  test.for([{ timeoutSeconds: 0 }, { timeoutSeconds: Number.NaN }, { retries: -1 }, { maxWaitSeconds: Infinity }])(
    "%o is refused",
    (options) => {
      expect(() => new Postern({ baseUrl: "http://127.0.0.1", ...options })).toThrow(RangeError);
    },
  );

  test("a secret stands in no message and in no print of the client", () => {
    const apiKey = "postern_live_sécret";
    expect(() => new Postern({ baseUrl: "http://127.0.0.1", apiKey })).toThrow(/^apiKey is empty or has characters/);
    const postern = new Postern({ baseUrl: "http://127.0.0.1", apiKey: "postern_live_secret", accessToken: "secret" });
    expect(inspect(postern, { depth: 9, showHidden: true }) + JSON.stringify(postern)).not.toContain("secret");
  });
});

/** The address of a server that has just gone. */
async function aClosedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}
