import { expect, onTestFinished, test } from "vitest";
import { startScriptedDns } from "../../../test/scripted-dns.ts";
import type { Domain } from "../domain.ts";
import { createLiveDns, looksPerMinute } from "./live-dns.ts";

// Only these decide what is asked and counted.
const aDomain = (accountId: string, id: number, mailFromSubdomain: string | null = null) =>
  ({
    accountId,
    id,
    domainName: `d${id}.test`,
    challengeToken: "t",
    dkimTokens: [],
    recordChecks: [],
    identityArn: "",
    mailFromSubdomain,
  }) as unknown as Domain;

async function aLiveDns() {
  const server = await startScriptedDns(() => ({ answers: [] }));
  onTestFinished(() => server.close());
  const clock = { ms: 0 };
  const dns = createLiveDns({ servers: [server.address], now: () => clock.ms });
  const countOwnershipQueries = () => server.queries.filter((query) => query.startsWith("TXT _postern")).length;
  return { dns, clock, countOwnershipQueries };
}

test("requests at the same time and within five seconds share one look", async () => {
  const { dns, clock, countOwnershipQueries } = await aLiveDns();
  await Promise.all(Array.from({ length: 1000 }, () => dns.look(aDomain("a", 1))));
  clock.ms = 4999;
  await dns.look(aDomain("a", 1));
  expect(countOwnershipQueries()).toBe(1);
  clock.ms = 5000;
  await dns.look(aDomain("a", 1));
  expect(countOwnershipQueries()).toBe(2);
});

test("changed records are looked at immediately", async () => {
  const { dns, countOwnershipQueries } = await aLiveDns();
  await dns.look(aDomain("a", 1));
  await dns.look(aDomain("a", 1, "bounce"));
  expect(countOwnershipQueries()).toBe(2);
});

test("a domain has six looks a minute, and then 429 with the rest of the minute", async () => {
  const { dns, clock } = await aLiveDns();
  for (let look = 0; look < looksPerMinute.ofDomain; look++) {
    clock.ms = look * 5000;
    await dns.look(aDomain("a", 1));
  }
  clock.ms = 30_000;
  const refused = { code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: 30 };
  await expect(dns.look(aDomain("a", 1))).rejects.toMatchObject(refused);
  await dns.look(aDomain("a", 2));
  clock.ms = 60_000;
  await dns.look(aDomain("a", 1));
});

test("10,000 requests of one account for 100 domains ask DNS for 30 of them, and another account is served", async () => {
  const { dns, countOwnershipQueries } = await aLiveDns();
  let refused = 0;
  for (let id = 1; id <= 100; id++) {
    for (let times = 0; times < 100; times++) await dns.look(aDomain("a", id)).catch(() => refused++);
  }
  expect(countOwnershipQueries()).toBe(looksPerMinute.ofAccount);
  expect(refused).toBe(7000);
  await expect(dns.look(aDomain("b", 101))).resolves.toBeDefined();
});
