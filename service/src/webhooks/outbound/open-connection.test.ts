import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:net";
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { selfSignedCertificate } from "@postern/ses-simulator/certificate";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { anAnswer, answering, aReceiver } from "../../../test/webhook-receiver.ts";
import { openOutbound } from "./post-notification.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = privateKey.export({ type: "pkcs8", format: "pem" });
const day = 86_400_000;
const good = selfSignedCertificate(privateKey, "hook.test", new Date(Date.now() - day));
const expired = selfSignedCertificate(privateKey, "hook.test", new Date(Date.now() - 8_000 * day));
const untrusted = selfSignedCertificate(privateKey, "hook.test", new Date(Date.now() - 2 * day));
const before = getCACertificates("default");
setDefaultCACertificates([...before, good, expired]);
afterAll(() => setDefaultCACertificates(before));

async function postOverTls(cert: string | undefined, host = "hook.test") {
  const server = cert === undefined ? createServer() : createTlsServer({ key, cert });
  const receiver = await aReceiver(answering(anAnswer(200)), { server });
  onTestFinished(receiver.close);
  const resolver = { findAddresses: async () => ({ kind: "records" as const, values: ["127.0.0.1"] }) };
  const outbound = openOutbound({ resolver, ports: "any", allowsHttp: false, timeoutMs: 10_000 });
  const url = `https://${host}:${receiver.port}/`;
  const request = { accountId: "a", url, headers: {}, body: "secret", allowedNetworks: ["127.0.0.1/32"] };
  return { answer: await outbound.post(request), receiver };
}

test("a certificate of the name by a known authority is accepted, also with a dot at the end of the name", async () => {
  for (const host of ["hook.test", "HOOK.test."]) {
    const { answer } = await postOverTls(good, host);
    expect(answer).toMatchObject({ status: 200, failure: undefined });
  }
});

test.for([
  ["of an unknown authority", untrusted, "hook.test", "The certificate of the endpoint is self-signed."],
  ["that has expired", expired, "hook.test", "The certificate of the endpoint has expired."],
  ["of another name", good, "other.test", "The certificate of the endpoint is for another name."],
  ["of a name instead of the address", good, "127.0.0.1", "The certificate of the endpoint is for another name."],
] as const)(
  "a certificate %s is refused before the request, whatever the environment says",
  async ([, cert, host, failure]) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { answer, receiver } = await postOverTls(cert, host);
    expect(answer).toMatchObject({ status: undefined, failure });
    expect(receiver.received.join("")).toBe("");
  },
);

test("a handshake that hangs, and a server that speaks no TLS, are reported", async () => {
  const hanging = await aReceiver(() => undefined);
  onTestFinished(hanging.close);
  const resolver = { findAddresses: async () => ({ kind: "records" as const, values: ["127.0.0.1"] }) };
  const outbound = openOutbound({ resolver, ports: "any", allowsHttp: false, timeoutMs: 300 });
  const request = { accountId: "a", headers: {}, body: "", allowedNetworks: ["127.0.0.1/32"] };
  const late = await outbound.post({ ...request, url: `https://hook.test:${hanging.port}/` });
  expect(late.failure).toBe("The attempt ended after 0.3 seconds: the endpoint did not finish the TLS handshake.");
  const plain = await aReceiver((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  onTestFinished(plain.close);
  const waiting = openOutbound({ resolver, ports: "any", allowsHttp: false });
  const wrong = await waiting.post({ ...request, url: `https://hook.test:${plain.port}/` });
  expect(wrong.failure).toBe("The TLS handshake with the endpoint failed.");
});
