import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { anSnsSigner } from "../../../../test/sns-signer.ts";
import { fetchCertificate } from "./fetch-certificate.ts";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // A listening TCP server has no other kind of address.
}

const aServer = async (answer: RequestListener) => `http://127.0.0.1:${await listen(createServer(answer))}/c.pem`;

test("it returns the text at the address", async () => {
  expect(await fetchCertificate(await aServer((_, response) => response.end("x".repeat(65_536))))).toHaveLength(65_536);
});

test("it follows no redirect", async () => {
  let visits = 0;
  const target = await aServer((_, response) => {
    visits++;
    response.end("stolen");
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await aServer((_, response) => response.writeHead(status, { location: target }).end());
    await expect(fetchCertificate(url)).rejects.toThrow(`the server answered ${status}`);
  }
  expect(visits).toBe(0);
});

test.for([204, 206, 403, 404, 500])("it rejects an answer with status %i", async (status) => {
  const url = await aServer((_, response) => response.writeHead(status).end());
  await expect(fetchCertificate(url)).rejects.toThrow(`the server answered ${status}`);
});

test("it rejects an answer of more than 64 KB, with and without a content-length header", async () => {
  for (const headers of [{ "content-length": 10_000_000 }, {}]) {
    const url = await aServer((_, response) => {
      response.writeHead(200, headers);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", more);
      more();
    });
    await expect(fetchCertificate(url)).rejects.toThrow("more than 65536 bytes");
  }
});

test("it gives up on a server that hangs or answers slowly when the timeout ends", async () => {
  const hanging = await aServer(() => undefined);
  await expect(fetchCertificate(hanging, 100)).rejects.toThrow();
  const slow = await aServer((_, response) => {
    const timer = setInterval(() => response.write("x"), 10);
    response.on("close", () => clearInterval(timer));
  });
  const started = performance.now();
  await expect(fetchCertificate(slow, 200)).rejects.toThrow();
  expect(performance.now() - started).toBeLessThan(4_000);
});

test("it rejects when no server listens", async () => {
  await expect(fetchCertificate("http://127.0.0.1:1/c.pem")).rejects.toThrow("ECONNREFUSED");
});

test("over TLS it sends no request to a server without a trusted certificate", async () => {
  const { key, certificate } = await anSnsSigner();
  let visits = 0;
  const server = createTlsServer(
    { key: key.export({ type: "pkcs8", format: "pem" }), cert: certificate },
    (_, response) => {
      visits++;
      response.end();
    },
  );
  const port = await listen(server);
  await expect(fetchCertificate(`https://127.0.0.1:${port}/c.pem`)).rejects.toThrow(/self-signed/);
  expect(visits).toBe(0);
});
