import { Socket } from "node:net";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { anAnswer, answering, aReceiver, type Behaviour, isComplete } from "../../../test/webhook-receiver.ts";
import { openOutbound } from "./post-notification.ts";

/** Stands for a public address in these tests; the other addresses of the loopback network keep their meaning. */
const publicAddress = "127.0.0.9";
vi.mock(import("./public-address.ts"), async (load) => {
  const actual = await load();
  const specialRangeOf = (bytes: Uint8Array) =>
    bytes.join(".") === "127.0.0.9" ? undefined : actual.specialRangeOf(bytes);
  return { ...actual, specialRangeOf };
});
// Test files share their modules, and other files need the real ones.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.doUnmock("./public-address.ts");
  vi.resetModules();
});
afterEach(() => vi.restoreAllMocks());

const aRequest = { accountId: "a", headers: { "webhook-id": "n1" }, body: '{"é":1}', allowedNetworks: [] };

function anOutbound(addresses: Record<string, string[]> = {}, timeoutMs = 10_000) {
  const findAddresses = async (name: string) => ({ kind: "records" as const, values: addresses[name] ?? [] });
  return openOutbound({ resolver: { findAddresses }, ports: "any", allowsHttp: true, timeoutMs });
}

async function receiverAt(host: string, behave: Behaviour, port = 0) {
  const receiver = await aReceiver(behave, { host, port });
  onTestFinished(receiver.close);
  return receiver;
}

/** Posts to a receiver at a public address. */
async function postTo(behave: Behaviour, timeoutMs?: number) {
  const receiver = await receiverAt(publicAddress, behave);
  const url = `http://hook.test:${receiver.port}/in?x=1#y`;
  const answer = await anOutbound({ "hook.test": [publicAddress] }, timeoutMs).post({ ...aRequest, url });
  return { answer, receiver };
}

describe("an answer", () => {
  test("of 200 to 299 is a success, and the request is as given", async () => {
    const { answer, receiver } = await postTo(answering(anAnswer(204)));
    const { durationMs, ...rest } = answer;
    expect(rest).toEqual({ status: 204, answer: "", failure: undefined, retryAfterSeconds: undefined });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    const [head = "", body] = receiver.received[0]?.split("\r\n\r\n") ?? [];
    expect(body).toBe(aRequest.body);
    expect(head.toLowerCase().split("\r\n").toSorted()).toEqual(
      [
        "post /in?x=1 http/1.1",
        "webhook-id: n1",
        `host: hook.test:${receiver.port}`,
        "content-length: 8",
        "connection: close",
      ].toSorted(),
    );
  });

  test.for([
    [400, "The endpoint answered 400."],
    [410, "The endpoint answered 410."],
    [500, "The endpoint answered 500."],
    [301, "The endpoint answered 301. Postern does not follow redirects."],
    [307, "The endpoint answered 307. Postern does not follow redirects."],
  ] as const)("of %i is a failure with its body", async ([status, failure]) => {
    const { answer } = await postTo(answering(anAnswer(status, "why", { location: "http://127.0.0.1/" })));
    expect(answer).toMatchObject({ status, answer: "why", failure });
  });

  test.for([
    ["120", 120],
    ["0", 0],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
    ["-5", undefined],
    ["1e3", undefined],
    ["2030", 2030],
    ["soon", undefined],
    ["9999999999", undefined],
  ] as const)("with Retry-After %j asks for %s seconds", async ([value, seconds]) => {
    const { answer } = await postTo(answering(anAnswer(503, "", { "retry-after": value })));
    expect(answer.retryAfterSeconds).toBe(seconds);
  });

  test("with a date in Retry-After asks for the seconds until then", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { answer } = await postTo(answering(anAnswer(503, "", { "retry-after": date })));
    expect(answer.retryAfterSeconds).toBeGreaterThan(50);
    expect(answer.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test("is stored as text without NUL and with invalid bytes replaced", async () => {
    const body = Buffer.from([0x61, 0x00, 0xff, 0x62, 0xc3, 0xa9]);
    const { answer } = await postTo(answering(anAnswer(200, body)));
    expect(answer.answer).toBe("a\uFFFDbé");
  });

  test.for([
    ["of letters", Buffer.alloc(1_000_000, "a")],
    ["of invalid bytes", Buffer.alloc(1_000_000, 0xff)],
    ["without end", "endless"],
  ] as const)("is read up to 16 KiB: %s", async ([, body]) => {
    const endless: Behaviour = (socket) => {
      socket.write("HTTP/1.1 200 X\r\n\r\n");
      const write = () => void (socket.write("a".repeat(65_536)) && setImmediate(write));
      socket.on("drain", write);
      write();
    };
    const { answer } = await postTo(body === "endless" ? endless : answering(anAnswer(200, body)));
    expect(answer).toMatchObject({ status: 200, failure: undefined });
    expect(Buffer.byteLength(answer.answer ?? "")).toBeLessThanOrEqual(16_384);
    expect(Buffer.byteLength(answer.answer ?? "")).toBeGreaterThan(16_380);
  });

  test("from a network that the operator allowed is not returned, its status is", async () => {
    const receiver = await receiverAt("127.0.0.1", answering(anAnswer(500, "a secret of the operator")));
    const outbound = anOutbound({ "hook.test": ["127.0.0.1"] });
    const request = { ...aRequest, allowedNetworks: ["127.0.0.0/30"] };
    for (const host of ["hook.test", "127.0.0.1", "0x7f.1"]) {
      const answer = await outbound.post({ ...request, url: `http://${host}:${receiver.port}/` });
      expect(answer).toMatchObject({ status: 500, answer: undefined, failure: "The endpoint answered 500." });
    }
  });
});

describe("every attempt ends within its deadline, in plain words:", () => {
  const late = (what: string) => `The attempt ended after 0.7 seconds: the endpoint did not ${what}.`;
  const closed = "The endpoint closed the connection before its answer was complete.";
  const notHttp = "The answer of the endpoint is not valid HTTP.";
  const drip =
    (first: string, next: string): Behaviour =>
    (socket, received) => {
      if (!isComplete(received)) return;
      socket.write(first);
      const timer = setInterval(() => socket.write(next), 20);
      socket.on("close", () => clearInterval(timer));
    };

  test.for([
    ["no answer", () => undefined, undefined, late("answer")],
    ["a header byte by byte", drip("HTTP/1.1 200 X\r\nx: ", "y"), undefined, late("answer")],
    ["only 100 Continue, for ever", drip("", "HTTP/1.1 100 C\r\n\r\n"), undefined, late("answer")],
    ["a body byte by byte", drip("HTTP/1.1 200 X\r\n\r\n", "y"), 200, late("finish its answer")],
    [
      "a body that never comes",
      drip("HTTP/1.1 503 X\r\ncontent-length: 9\r\n\r\n", ""),
      503,
      late("finish its answer"),
    ],
    ["a close without an answer", (socket: Socket) => socket.end(), undefined, closed],
    ["a reset", (socket: Socket) => socket.resetAndDestroy(), undefined, closed],
    ["half an answer", answering("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nhalf"), 200, closed],
    ["half a chunk", answering("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf"), 200, closed],
    ["another protocol", answering("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"), undefined, closed],
    ["garbage", answering("SSH-2.0-OpenSSH_9.9\r\n"), undefined, notHttp],
    ["a status that is no number", answering("HTTP/1.1 abc X\r\n\r\n"), undefined, notHttp],
    ["two lengths", answering("HTTP/1.1 200 X\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na"), undefined, notHttp],
    [
      "a huge header",
      answering(`HTTP/1.1 200 X\r\nx: ${"y".repeat(20_000)}\r\n\r\n`),
      undefined,
      "The headers of the answer have more than 16 KiB.",
    ],
  ] as const)("%s", async ([, behave, status, failure]) => {
    const { answer } = await postTo(behave, failure.startsWith("The attempt ended") ? 700 : undefined);
    expect(answer).toMatchObject({ status, failure, answer: undefined });
    expect(answer.durationMs).toBeLessThan(5_000);
  });

  test("a closed port", async () => {
    const receiver = await receiverAt(publicAddress, () => undefined);
    receiver.close();
    const answer = await anOutbound().post({ ...aRequest, url: `http://${publicAddress}:${receiver.port}/` });
    expect(answer).toMatchObject({ status: undefined, failure: "The endpoint refused the connection." });
  });

  test("a DNS server that never answers, and a resolver that breaks", async () => {
    const options = { ports: "any", allowsHttp: true, timeoutMs: 50 } as const;
    const hanging = openOutbound({ resolver: { findAddresses: () => new Promise(() => undefined) }, ...options });
    expect((await hanging.post({ ...aRequest, url: "https://a.test/" })).failure).toBe(
      "The attempt ended after 0.05 seconds: DNS did not answer the query for the address of the endpoint.",
    );
    const breaking = openOutbound({ resolver: { findAddresses: () => Promise.reject(new Error("x")) }, ...options });
    expect((await breaking.post({ ...aRequest, url: "https://a.test/" })).failure).toBe(
      "Postern could not find the address of the endpoint.",
    );
  });
});

describe("connects to no other address", () => {
  test("than one of the name: the next when one cannot be reached", async () => {
    const receiver = await receiverAt(publicAddress, answering(anAnswer(200)));
    // Nothing listens on this port of the first address.
    const outbound = anOutbound({ "hook.test": ["127.0.0.1", publicAddress] });
    const request = { ...aRequest, allowedNetworks: ["127.0.0.1/32"] };
    const answer = await outbound.post({ ...request, url: `http://hook.test:${receiver.port}/` });
    expect(answer).toMatchObject({ status: 200, failure: undefined });
  });

  test("when one address of the name is not public", async () => {
    const receiver = await receiverAt(publicAddress, answering(anAnswer(200)));
    const outbound = anOutbound({ "hook.test": [publicAddress, "127.0.0.1"] });
    const { failure } = await outbound.post({ ...aRequest, url: `http://hook.test:${receiver.port}/` });
    expect(failure).toContain("hook.test has an address that is not public: loopback (127.0.0.0/8)");
    expect(receiver.connections()).toBe(0);
  });

  test("writes nothing to a socket whose address is not the one that was checked", async () => {
    const receiver = await receiverAt("127.0.0.1", answering(anAnswer(200)));
    const connect = Socket.prototype.connect;
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
      return Reflect.apply(connect, this, [{ host: "127.0.0.1", port: receiver.port }]);
    });
    for (const scheme of ["http", "https"]) {
      const answer = await anOutbound().post({ ...aRequest, url: `${scheme}://${publicAddress}:${receiver.port}/` });
      expect(answer).toMatchObject({ status: undefined, failure: "The connection to the endpoint failed." });
    }
    await expect.poll(() => receiver.received).toEqual(["", ""]);
  });

  test("through a proxy of the environment", async () => {
    const proxy = await receiverAt("127.0.0.1", answering(anAnswer(200)));
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { answer } = await postTo(answering(anAnswer(200)));
    expect(answer.status).toBe(200);
    expect(proxy.connections()).toBe(0);
  });
});

test("a URL that breaks a rule is not tried, also when it was stored before the rule", async () => {
  const outbound = openOutbound({
    resolver: { findAddresses: () => Promise.reject(new Error("asked")) },
    ports: [443],
    allowsHttp: false,
  });
  for (const url of ["http://a.test/", "https://a.test:8443/", "https://u:p@a.test/", "https://localhost/", "x"]) {
    const answer = await outbound.post({ ...aRequest, url });
    expect(answer).toMatchObject({ status: undefined, durationMs: 0, failure: expect.stringMatching(/\.$/) });
  }
});
