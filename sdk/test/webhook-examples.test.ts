import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { app as expressApp } from "../examples/express.ts";
import { app as fastifyApp } from "../examples/fastify.ts";
import { app as honoApp } from "../examples/hono.ts";
import { POST } from "../examples/nextjs-route.ts";
import { sampleNotifications } from "./sample-notifications.ts";
import { aSecret, aSignedRequest, headersOf, type SignedRequest } from "./signed-request.ts";

const secret = aSecret();
const path = "/webhooks/postern";
const expressServer = createServer(expressApp);
let expressUrl: string;
let fastifyUrl: string;

beforeAll(async () => {
  vi.stubEnv("POSTERN_WEBHOOK_SECRET", secret);
  expressUrl = await listen(expressServer);
  fastifyUrl = await fastifyApp.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  vi.unstubAllEnvs();
  expressServer.close();
  await fastifyApp.close();
});

const receivers: [name: string, receive: (init: RequestInit) => Promise<Response>][] = [
  ["Express", (init) => fetch(new URL(path, expressUrl), init)],
  ["Fastify", (init) => fetch(new URL(path, fastifyUrl), init)],
  ["Hono", async (init) => honoApp.request(path, init)],
  ["Next.js", (init) => POST(new Request(new URL(path, "https://acme.io"), init))],
];

describe.for(receivers)("the example for %s", ([, receive]) => {
  const post = async (request: SignedRequest) => {
    const headers = { "content-type": "application/json", ...headersOf(request) };
    const response = await receive({ method: "POST", headers, body: request.body });
    return { status: response.status, text: await response.text() };
  };

  test("accepts a notification of every type and reads its data", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    for (const notification of sampleNotifications) {
      const { status } = await post(aSignedRequest(secret, JSON.stringify(notification)));
      expect(status).toBe(204);
    }
    expect(log.mock.calls).toEqual([["jané@example.com", "5.1.1"]]);
  });

  test("verifies the bytes as they arrived, not JSON that it wrote again", async () => {
    const body = '{ "type":"send.sent", "a": 1.0, "b":"\\u00e9 é",  "data":{}}';
    expect(JSON.stringify(JSON.parse(body))).not.toBe(body);
    expect(await post(aSignedRequest(secret, body))).toMatchObject({ status: 204 });
  });

  test("answers 400 with the reason when the request is not from Postern", async () => {
    const request = aSignedRequest(secret, JSON.stringify(sampleNotifications[0]));
    const changed = { ...request, body: request.body.replace("live", "test") };
    const unmatched = { status: 400, text: expect.stringMatching(/^No signature of the request matches/) };
    expect(await post(changed)).toEqual(unmatched);
    expect(await post(aSignedRequest(aSecret(), request.body))).toEqual(unmatched);
    expect(await post(aSignedRequest(secret, request.body, { at: new Date(0) }))).toMatchObject({ status: 400 });
    const unsigned = await receive({ method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    expect([unsigned.status, await unsigned.text()]).toEqual([400, "The request has no header webhook-id."]);
  });
});

test("the README has the example for Next.js", () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
  const [, ...lines] = read("../examples/nextjs-route.ts").split("\n");
  expect(read("../README.md")).toContain(`\`\`\`ts\n${lines.join("\n")}\`\`\``);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}
