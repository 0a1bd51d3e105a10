import { describe, expect, test } from "vitest";
import { anApiKey } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";
import { listApiKeys } from "../../../api-keys/api-key-store.ts";
import { rollApiKey } from "../../../api-keys/roll-api-key.ts";

const { api, aSender, send, statusOf, countSends } = useSendingApi();
const unicodeDomain = "bücher.example";
const asciiDomain = "xn--bcher-kva.example";

/** An account with three verified domains, a key for all of them and one for `domain`. */
async function aDomainSender(domain?: string) {
  const sender = await aSender();
  const other = await aVerifiedDomain(api.database.db, sender.accountId);
  const subdomain = await aVerifiedDomain(api.database.db, sender.accountId, `mail.${sender.domain}`);
  const restriction = { domain: domain ?? sender.domain };
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, restriction);
  return { ...sender, other, subdomain, restricted: { key, from: sender.from } };
}

describe("a key with a domain", () => {
  test("sends from its domain, however it is written", async () => {
    const { restricted, domain } = await aDomainSender();
    for (const from of [`a@${domain}`, `a@${domain.toUpperCase()}`, `"x@evil.example" <a@${domain}>`]) {
      expect((await send({ ...restricted, from })).status).toBe(202);
    }
  });

  test("sends from its internationalised domain in both forms, and reads both sends", async () => {
    const { restricted, accountId } = await aDomainSender(asciiDomain);
    await aVerifiedDomain(api.database.db, accountId, asciiDomain);
    for (const domain of [unicodeDomain, asciiDomain, unicodeDomain.toUpperCase()]) {
      const { status, json } = await send({ ...restricted, from: `a@${domain}` });
      expect(status).toBe(202);
      expect((await statusOf(json().id, restricted)).status).toBe(200);
    }
  });

  test("gets 401 that names its domain for every other sender, first and later, and stores nothing", async () => {
    const { restricted, domain, other, subdomain, accountId } = await aDomainSender();
    const hostile = [
      `a@${other}`,
      `a@${subdomain}`,
      `a@${other.toUpperCase()}`,
      `"${domain}" <a@${other}>`,
      `"a@${domain}" <a@${other}>`,
      `a@${domain}.example`,
    ];
    for (const from of [...hostile, ...hostile]) {
      const { status, json } = await send({ ...restricted, from });
      expect([status, json().error.code, json().error.message]).toEqual([
        401,
        "UNAUTHORIZED",
        expect.stringContaining(`from ${domain} only`),
      ]);
    }
    expect(await countSends(accountId)).toBe(0);
    expect((await send(restricted)).status).toBe(202);
  });

  test("uses up the rate limit with sends from another domain, as with invalid ones", async () => {
    const sender = await aSender({ isUnlimited: false });
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { domain: sender.domain });
    const answers = await Promise.all(Array.from({ length: 21 }, () => send({ key, from: "a@other.example" })));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
  });

  test("gets 401 for another domain also with a large body and as Bearer", async () => {
    const { restricted, other, accountId } = await aDomainSender();
    const large = { from: `a@${other}`, text: "x".repeat(300_000) };
    expect((await send(restricted, large)).status).toBe(401);
    const body = { from: `a@${other}`, ...hello };
    const asBearer = await api.call({ method: "POST", path: "/api/v1/send", token: restricted.key, body });
    expect([asBearer.status, await countSends(accountId)]).toEqual([401, 0]);
  });

  test("reads status and timeline of its domain only; other sends are 404 like unknown ones", async () => {
    const sender = await aDomainSender();
    const { restricted } = sender;
    const own = (await send(restricted)).json().id;
    const foreign = (await send({ key: sender.key, from: `a@${sender.other}` })).json().id;
    for (const path of ["status", "timeline"]) {
      const read = (id: string) => api.call({ method: "GET", path: `/api/v1/send/${id}/${path}`, key: restricted.key });
      expect([(await read(own)).status, (await read(foreign)).status]).toEqual([200, 404]);
    }
    expect((await statusOf(foreign, { key: sender.key })).status).toBe(200);
  });

  test("validates mails of its domain only", async () => {
    const { restricted, domain, other } = await aDomainSender();
    const validate = (from: string) =>
      api.call({ method: "POST", path: "/api/v1/send/validate", key: restricted.key, body: { from, ...hello } });
    expect((await validate(`a@${domain}`)).json().valid).toBe(true);
    const refused = await validate(`a@${other}`);
    expect([refused.status, refused.json().error.message]).toEqual([401, expect.stringContaining(domain)]);
  });

  test("learns of a conflict, but nothing about the send of another domain that used the key", async () => {
    const sender = await aDomainSender();
    const key = { idempotency_key: "order-1" };
    const original = (await send({ key: sender.key, from: `a@${sender.other}` }, key)).json().id;
    const answer = await send(sender.restricted, key);
    expect([answer.status, answer.text.includes(original), answer.json().error.details]).toEqual([
      409,
      false,
      undefined,
    ]);
    const body = { from: sender.from, ...hello, ...key };
    const validated = await api.call({
      method: "POST",
      path: "/api/v1/send/validate",
      key: sender.restricted.key,
      body,
    });
    expect([validated.json().idempotency, validated.text.includes(original)]).toEqual([{ state: "conflict" }, false]);
  });
});

test("a test key as Bearer creates test mail, first and later, and live mode with it is 422", async () => {
  const { key, accountId } = await aSender({ type: "test" });
  const body = { from: "a@sandbox.test", ...hello };
  for (let use = 0; use < 3; use++) {
    const { status } = await api.call({ method: "POST", path: "/api/v1/send", token: key, body });
    expect(status).toBe(202);
  }
  expect((await api.call({ method: "POST", path: "/api/v1/send?mode=live", token: key, body })).status).toBe(422);
  const modes = await api.database.db.query<{ mode: string }>({
    name: "modes-of",
    text: "select mode from sends where account_id = $1",
    values: [accountId],
  });
  expect(modes).toEqual([{ mode: "test" }, { mode: "test" }, { mode: "test" }]);
});

test("a key without the scope send cannot send or validate, and the answer names the scope", async () => {
  const { accountId, from } = await aSender();
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, {
    scopes: ["read", "suppressions", "domains", "webhooks"],
  });
  for (const path of ["/api/v1/send", "/api/v1/send/validate"]) {
    const { status, json } = await api.call({ method: "POST", path, key, body: { from, ...hello } });
    expect([status, json().error.message]).toEqual([401, expect.stringContaining("scope `send`")]);
  }
  expect(await countSends(accountId)).toBe(0);
});

test("a remembered key is refused as soon as its secret has ended", async () => {
  const { key, from, accountId } = await aSender();
  expect((await send({ key, from })).status).toBe(202);
  const account = api.database.db.forAccount(accountId);
  const [stored] = await listApiKeys(account);
  const rolled = await rollApiKey(account, api.deps.apiKeyIssuer, { id: stored?.id ?? "", overlapSeconds: 60 });
  for (const each of [key, rolled.key]) expect((await send({ key: each, from })).status).toBe(202);
  await api.database.db.query({
    name: "end-overlap",
    text: "update api_key_secrets set ends_at = now() where account_id = $1 and ends_at is not null",
    values: [accountId],
  });
  const { status, json } = await send({ key, from });
  expect([status, json().error.message]).toEqual([401, expect.stringContaining("replaced")]);
  expect((await send({ key: rolled.key, from })).status).toBe(202);
  expect(await countSends(accountId)).toBe(4);
});
