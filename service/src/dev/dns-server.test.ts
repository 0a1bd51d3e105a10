import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDnsServer } from "./dns-server.ts";

const longProof = `postern-verify=${"x".repeat(300)}`;
const proofs = new Map([
  ["shop-demo.io", ["postern-verify=one", "postern-verify=other"]],
  ["long-demo.io", [longProof]],
]);
const resolver = new Resolver({ timeout: 2000, tries: 1 });
let server: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  server = await startDnsServer({
    dkimZone: "dkim.amazonses.com",
    findMailFromRecords: async (name) => {
      if (name !== "bounce.shop-demo.io") return [];
      return [
        { type: "MX", value: "10 feedback-smtp.eu-central-1.amazonses.com" },
        { type: "TXT", value: "v=spf1 include:amazonses.com ~all" },
      ];
    },
    findProofs: async (name) => {
      if (name === "broken-demo.io") throw new Error("the database is gone");
      return proofs.get(name) ?? [];
    },
  });
  resolver.setServers([server.address]);
});
afterAll(() => server.close());

test("the proof of every account that registered a domain is published, in any letter case of the name", async () => {
  expect(await resolver.resolveTxt("_postern-challenge.SHOP-demo.io")).toEqual([
    ["postern-verify=one"],
    ["postern-verify=other"],
  ]);
});

test("a value of more than 255 bytes is split into chunks that together are the value", async () => {
  const [chunks = []] = await resolver.resolveTxt("_postern-challenge.long-demo.io");
  expect({ count: chunks.length, value: chunks.join("") }).toEqual({ count: 2, value: longProof });
});

test("every DKIM name is an alias of the key with that name", async () => {
  expect(await resolver.resolveCname("abc123._domainkey.shop-demo.io")).toEqual(["abc123.dkim.amazonses.com"]);
});

test("a domain that no account registered, or any other name, does not exist", async () => {
  await expect(resolver.resolveTxt("_postern-challenge.nobody-demo.io")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(resolver.resolve4("www.shop-demo.io")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("a MAIL FROM domain has the records that SES asks for", async () => {
  expect(await resolver.resolveMx("bounce.shop-demo.io")).toMatchObject([
    { priority: 10, exchange: "feedback-smtp.eu-central-1.amazonses.com" },
  ]);
  expect(await resolver.resolveTxt("bounce.shop-demo.io")).toEqual([["v=spf1 include:amazonses.com ~all"]]);
});

test("every zone has a name server at the address of this server, and forgets absences at once", async () => {
  expect(await resolver.resolveNs("shop-demo.io")).toEqual(["ns.shop-demo.io"]);
  expect(await resolver.resolve4("ns.shop-demo.io")).toEqual(["127.0.0.1"]);
  expect(await resolver.resolveSoa("shop-demo.io")).toMatchObject({ nsname: "ns.shop-demo.io", minttl: 0 });
});

test("a MAIL FROM domain has the records that SES asks for", async () => {
  expect(await resolver.resolveMx("bounce.shop-demo.io")).toMatchObject([
    { priority: 10, exchange: "feedback-smtp.eu-central-1.amazonses.com" },
  ]);
  expect(await resolver.resolveTxt("bounce.shop-demo.io")).toEqual([["v=spf1 include:amazonses.com ~all"]]);
});

test("every zone has a name server at the address of this server, and forgets absences at once", async () => {
  expect(await resolver.resolveNs("shop-demo.io")).toEqual(["ns.shop-demo.io"]);
  expect(await resolver.resolve4("ns.shop-demo.io")).toEqual(["127.0.0.1"]);
  expect(await resolver.resolveSoa("shop-demo.io")).toMatchObject({ nsname: "ns.shop-demo.io", minttl: 0 });
});

test("a query for another record type of an existing name returns no record", async () => {
  await expect(resolver.resolve4("_postern-challenge.shop-demo.io")).rejects.toMatchObject({ code: "ENODATA" });
});

test("when the proofs cannot be read, the answer is a server failure and not a missing domain", async () => {
  await expect(resolver.resolveTxt("_postern-challenge.broken-demo.io")).rejects.toMatchObject({ code: "ESERVFAIL" });
});

test("a message that is not a question gets no answer, and the server keeps answering others", async () => {
  const socket = createSocket("udp4");
  const [host = "", port = ""] = server.address.split(":");
  const pointer = Buffer.from("000001000001000000000000c00c00100001", "hex");
  for (const bytes of [Buffer.alloc(0), Buffer.from([1, 2, 3]), Buffer.alloc(64, 0xff), pointer]) {
    socket.send(bytes, Number(port), host);
  }
  socket.on("message", () => expect.fail("it was answered"));
  expect(await resolver.resolveTxt("_postern-challenge.shop-demo.io")).toHaveLength(2);
  socket.close();
  await once(socket, "close");
});
