import { expect, onTestFinished, test } from "vitest";
import { flags, type Script, startScriptedDns } from "../../../test/scripted-dns.ts";
import { createDnsResolver } from "../../domains/dns-resolver.ts";
import { resolveTarget } from "./resolve-target.ts";
import { networksOf } from "./target-address.ts";

/** Resolves against a DNS server with these addresses. */
async function resolve(host: string, addresses: string[], allowed: string[] = []) {
  return ask(host, (question) => answersOf(question.name, question.type, addresses), allowed);
}

async function ask(host: string, script: Script, allowed: string[] = []) {
  const dns = await startScriptedDns(script);
  onTestFinished(dns.close);
  const resolver = createDnsResolver({ servers: [dns.address], timeoutSeconds: 0.5 });
  return resolveTarget(resolver, host, networksOf(allowed));
}

function answersOf(name: string, type: string, addresses: string[]) {
  const family = type === "A" ? /^[\d.]+$/ : /:/;
  const answers = addresses.filter((address) => family.test(address));
  return { answers: answers.map((data) => ({ type: type === "A" ? "A" : "AAAA", name, ttl: 1, data }) as const) };
}

test("a name gives its addresses of both families, alternating", async () => {
  const found = await resolve("a.test", ["1.1.1.1", "1.1.1.2", "1.1.1.3", "2606::1"]);
  expect(found).toEqual({
    addresses: ["1.1.1.1", "2606::1", "1.1.1.2", "1.1.1.3"].map((text) => ({ text, isAllowed: false })),
  });
});

test.for([
  [["10.0.0.1"], "private use (10.0.0.0/8)"],
  [["1.1.1.1", "169.254.169.254"], "link-local, with the metadata services of clouds (169.254.0.0/16)"],
  [["1.1.1.1", "fd00::1"], "unique local (fc00::/7)"],
  [["::ffff:1.1.1.1"], "IPv4-mapped (::ffff:0:0/96)"],
] as const)("a name with one address that is not public is refused as a whole: %j", async ([addresses, range]) => {
  expect(await resolve("a.test", [...addresses])).toEqual({
    failure: `a.test has an address that is not public: ${range}. The operator can allow it to this account with \`postern admin webhook-networks\`.`,
  });
});

test("addresses in the networks of the account are accepted and marked, others beside them are not", async () => {
  const allowed = ["10.0.0.0/8", "1.1.1.1/32"];
  expect(await resolve("a.test", ["10.0.0.1", "1.1.1.1", "2606::1"], allowed)).toEqual({
    addresses: [
      { text: "10.0.0.1", isAllowed: true },
      { text: "2606::1", isAllowed: false },
      { text: "1.1.1.1", isAllowed: true },
    ],
  });
  expect(await resolve("a.test", ["10.0.0.1", "192.168.0.1"], allowed)).toHaveProperty("failure");
});

test("a literal needs no query", async () => {
  const never = { findAddresses: () => Promise.reject(new Error("asked")) };
  expect(await resolveTarget(never, "1.1.1.1", [])).toEqual({ addresses: [{ text: "1.1.1.1", isAllowed: false }] });
  expect(await resolveTarget(never, "::1", [])).toHaveProperty("failure");
});

test("a name without addresses, and a name server that does not answer or fails, are reported apart", async () => {
  expect(await resolve("a.test", [])).toEqual({ failure: "DNS has no address for a.test." });
  expect(await ask("a.test", () => ({ flags: flags.recursive | flags.nameError }))).toEqual({
    failure: "DNS has no address for a.test.",
  });
  expect(await ask("a.test", () => undefined)).toEqual({
    failure: "DNS did not answer the query for the address of a.test (TIMEOUT).",
  });
  expect(await ask("a.test", () => ({ flags: flags.recursive | flags.serverFailure }))).toEqual({
    failure: "DNS did not answer the query for the address of a.test (SERVFAIL).",
  });
});
