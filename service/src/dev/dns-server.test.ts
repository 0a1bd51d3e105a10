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
    findProofs: async (name) => {
      if (name === "broken-demo.io") throw new Error("the database is gone");
      return proofs.get(name) ?? [];
    },
  });
  resolver.setServers([server.address]);
});
afterAll(() => server.close());

test("the proof of every account that registered the name is published, whatever its case", async () => {
  expect(await resolver.resolveTxt("_postern-challenge.SHOP-demo.io")).toEqual([
    ["postern-verify=one"],
    ["postern-verify=other"],
  ]);
});

test("a long value comes in chunks that make up the whole", async () => {
  const [chunks = []] = await resolver.resolveTxt("_postern-challenge.long-demo.io");
  expect({ count: chunks.length, value: chunks.join("") }).toEqual({ count: 2, value: longProof });
});

test("every DKIM name leads to the key of that name", async () => {
  expect(await resolver.resolveCname("abc123._domainkey.shop-demo.io")).toEqual(["abc123.dkim.amazonses.com"]);
});

test("a domain nobody registered, or any other name, does not exist", async () => {
  await expect(resolver.resolveTxt("_postern-challenge.nobody-demo.io")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(resolver.resolve4("shop-demo.io")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("a name asked for another type has no such record", async () => {
  await expect(resolver.resolve4("_postern-challenge.shop-demo.io")).rejects.toMatchObject({ code: "ENODATA" });
});

test("a question that cannot be answered is a failure of the server, which counts against no domain", async () => {
  await expect(resolver.resolveTxt("_postern-challenge.broken-demo.io")).rejects.toMatchObject({ code: "ESERVFAIL" });
});

test("bytes that are no question are left unanswered and harm nothing", async () => {
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
