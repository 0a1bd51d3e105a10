import { beforeAll, describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { useKnotServer } from "../../../../test/knot-server.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { listDomains } from "../../../domains/domain-store.ts";
import { createLiveDns, looksPerMinute } from "../../../domains/live-dns/live-dns.ts";

const knot = useKnotServer("acme.test");
const api = useTestApi();

beforeAll(() => {
  api.deps.liveDns = createLiveDns({ servers: [knot.address] });
});

describe("GET /api/v1/domains/:id/dns", () => {
  test("200 returns every record as the name server and the resolver answer it now, and the times of the scheduled checks", async () => {
    const { accessToken, id } = await aDomain("shop.acme.test");
    await knot.publish("_postern-challenge.shop.acme.test", '120 TXT "postern-verify=token"');
    await knot.publish("_dmarc.shop.acme.test", 'TXT "v=DMARC1; p=none;\\009"');
    const { status, json } = await look(accessToken, id);
    expect(status).toBe(200);
    const { records, ...rest } = json();
    expect(rest).toEqual({
      domain_id: id,
      domain_name: "shop.acme.test",
      verification_status: "Success",
      checked_at: expect.any(String),
      last_checked_at: null,
      next_check_at: expect.any(String),
      zone: "acme.test",
      name_servers: ["ns.acme.test"],
      internal_name_servers: false,
      dmarc: { policy: "none", name: "_dmarc.shop.acme.test" },
    });
    expect(records).toHaveLength(6);
    expect(records[0]).toEqual({
      type: "TXT",
      name: "_postern-challenge.shop.acme.test",
      expected: "postern-verify=token",
      purpose: "ownership",
      required: true,
      status: "found",
      authoritative: {
        server: "ns.acme.test",
        status: "found",
        values: ["postern-verify=token"],
        ttl_seconds: 120,
        problem: null,
      },
      resolver: {
        status: "found",
        values: ["postern-verify=token"],
        ttl_seconds: 120,
        negative_until: null,
        problem: null,
      },
      advice: null,
    });
    expect(records[1]).toMatchObject({
      purpose: "dkim",
      status: "missing",
      resolver: { values: [], ttl_seconds: null, negative_until: rest.checked_at },
    });
    expect(records[5].resolver.values).toEqual(["v=DMARC1; p=none;\u{fffd}"]);
  });

  test("200 for a key with the scope read, which sees the same look within five seconds", async () => {
    const { accountId, accessToken, id } = await aDomain("key.acme.test");
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: ["read"] });
    const byJwt = (await look(accessToken, id)).json();
    const byKey = await api.call({ method: "GET", path: `/api/v1/domains/${id}/dns`, key });
    expect([byKey.status, byKey.json().checked_at]).toEqual([200, byJwt.checked_at]);
  });

  test("401 without a credential", async () => {
    expect((await api.call({ method: "GET", path: "/api/v1/domains/1/dns" })).status).toBe(401);
  });

  test("404 with the same body for an unknown id and for a domain of another account, without a DNS query", async () => {
    const mine = await aDomain("mine.acme.test");
    const other = await aDomain("other.acme.test");
    const before = await knot.countQueries();
    const texts = [];
    for (const id of [other.id, 2_147_483_647, "2147483648", "0", "-1", "abc"]) {
      const response = await look(mine.accessToken, id);
      expect(response.status).toBe(404);
      texts.push(response.text.replace(/"request_id":"[^"]+"/, ""));
    }
    expect(new Set(texts).size).toBe(1);
    expect(await knot.countQueries()).toBe(before);
  });

  test("422 for a query parameter, as for every route without one", async () => {
    const { accessToken, id } = await aDomain("query.acme.test");
    const path = `/api/v1/domains/${id}/dns?x=1`;
    expect((await api.call({ method: "GET", path, token: accessToken })).status).toBe(422);
  });

  test("429 with Retry-After after six looks at a domain within a minute", async () => {
    const clock = { ms: 0 };
    const usual = api.deps.liveDns;
    api.deps.liveDns = createLiveDns({ servers: [knot.address], now: () => clock.ms });
    const { accessToken, id } = await aDomain("often.acme.test");
    for (let times = 0; times < looksPerMinute.ofDomain; times++, clock.ms += 5000) {
      expect((await look(accessToken, id)).status).toBe(200);
    }
    const { status, headers, json } = await look(accessToken, id);
    api.deps.liveDns = usual;
    expect([status, headers["retry-after"], json().error.code]).toEqual([429, "30", "RATE_LIMIT_EXCEEDED"]);
  });
});

async function aDomain(name: string) {
  const { accessToken, accountId } = await aLogin(api.database.db, api.deps.loginDeps);
  await aVerifiedDomain(api.database.db, accountId, name);
  const [domain] = await listDomains(api.database.db.forAccount(accountId));
  return { accessToken, accountId, id: domain?.id ?? 0 };
}

function look(token: string, id: number | string) {
  return api.call({ method: "GET", path: `/api/v1/domains/${id}/dns`, token });
}
