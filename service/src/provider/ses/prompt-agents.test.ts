import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, createServer, request as httpRequest, type Server } from "node:http";
import { createServer as createTlsServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSignedCertificate } from "@postern/ses-simulator/certificate";
import { expect, onTestFinished, test } from "vitest";
import { readFault } from "./aws-fault.ts";
import { promptAgents } from "./prompt-agents.ts";

/** A clock that the test moves on, as a stall of the process would. */
function aClock() {
  let now = 0;
  const stallFor = (ms: number) => {
    now += ms;
  };
  return { clock: () => now, stallFor };
}

async function aServer(server: Server): Promise<{ port: number; requests: () => number }> {
  let requests = 0;
  server.on("request", (_request, response) => {
    requests += 1;
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return { port, requests: () => requests };
}

function aTlsServer(): Server {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const cert = selfSignedCertificate(privateKey, "ses.test", new Date(Date.now() - 86_400_000));
  return createTlsServer({ key: privateKey.export({ type: "pkcs8", format: "pem" }), cert });
}

function outcomeOf(request: ClientRequest): Promise<unknown> {
  return new Promise((resolve) => {
    request.on("response", (response) => resolve(response.resume().statusCode)).on("error", resolve);
    request.end("a mail");
  });
}

const kinds = [
  {
    name: "http",
    open: () => createServer(),
    post: (port: number, { httpAgent }: ReturnType<typeof promptAgents>) =>
      httpRequest({ host: "127.0.0.1", port, method: "POST", agent: httpAgent }),
  },
  {
    name: "https",
    open: aTlsServer,
    post: (port: number, { httpsAgent }: ReturnType<typeof promptAgents>) =>
      httpsRequest({ host: "127.0.0.1", port, method: "POST", agent: httpsAgent, rejectUnauthorized: false }),
  },
];

test.for(kinds)(
  "a stall before the connection is established leaves nothing written: $name",
  async ({ open, post }) => {
    const server = await aServer(open());
    const { clock, stallFor } = aClock();
    const request = post(server.port, promptAgents({ keepAlive: true }, clock));
    const outcome = outcomeOf(request);
    stallFor(60_000);
    expect(readFault(await outcome)).toMatchObject({ notSent: "no-connection" });
    expect(server.requests()).toBe(0);
  },
);

test("a stall during the TLS handshake leaves nothing written", async () => {
  const server = await aServer(aTlsServer());
  const { clock, stallFor } = aClock();
  const request = kinds[1]?.post(server.port, promptAgents({ keepAlive: true }, clock));
  if (request === undefined) throw new Error("no request");
  request.on("socket", (socket) => socket.on("connect", () => stallFor(60_000)));
  expect(readFault(await outcomeOf(request))).toMatchObject({ notSent: "no-connection" });
  expect(server.requests()).toBe(0);
});

test.for(kinds)("a prompt connection is used, and used again: $name", async ({ open, post }) => {
  const server = await aServer(open());
  const { clock, stallFor } = aClock();
  const agents = promptAgents({ keepAlive: true }, clock);
  expect(await outcomeOf(post(server.port, agents))).toBe(200);
  stallFor(60_000);
  expect(await outcomeOf(post(server.port, agents))).toBe(200);
  expect(server.requests()).toBe(2);
});
