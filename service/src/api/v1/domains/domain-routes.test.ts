import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { identitiesOf, openDomainFixture, testConfigurationSet } from "../../../../test/domain-fixture.ts";
import { change } from "../../../../test/send-rows.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { DomainDeps } from "../../../domains/register-domain.ts";

const provider = useSesSimulator();
const api = useTestApi();
let deps: DomainDeps;

beforeAll(async () => {
  deps = await openDomainFixture(api.database.db, api.database.url, provider.simulator);
  api.deps.domainDeps = deps;
});
afterAll(() => deps.locks.close());

describe("POST /api/v1/domains (interface 4.3)", () => {
  test("201 returns the domain with one TXT record and three CNAME records to publish", async () => {
    const { accessToken, accountId } = await aSession();
    const name = aName();
    const { status, json } = await register(accessToken, name);
    expect(status).toBe(201);
    const { dns_records: records, ...domain } = json();
    expect(domain).toEqual({
      tenant_id: accountId,
      domain_id: expect.any(Number),
      domain_name: name,
      identity_arn: `arn:aws:ses:${provider.simulator.region}:000000000000:identity/${name}`,
    });
    expect(records.map(({ type }: { type: string }) => type)).toEqual(["TXT", "CNAME", "CNAME", "CNAME"]);
    expect(records[0]).toEqual({
      type: "TXT",
      name: `_postern-challenge.${name}`,
      value: expect.stringMatching(/^postern-verify=[A-Za-z0-9_-]{43}$/),
    });
    for (const record of records.slice(1)) {
      const [token = ""] = record.name.split(".");
      expect(record).toEqual({
        type: "CNAME",
        name: `${token}._domainkey.${name}`,
        value: `${token}.dkim.amazonses.com`,
      });
    }
  });

  test("the upstream provider has an identity for the domain", async () => {
    const { accessToken } = await aSession();
    const name = aName();
    await register(accessToken, name);
    expect(await identitiesOf(deps)).toContain(name);
  });

  test("a name is stored in lower case, without a trailing dot, as A-labels", async () => {
    const { accessToken } = await aSession();
    const label = aName().split(".")[0];
    const { json } = await register(accessToken, `BÜCHER-${label}.De.`);
    expect(json().domain_name).toMatch(/^xn--bcher-[a-z0-9-]+\.de$/);
  });

  test("409 CONFLICT when the account has already registered the domain in any spelling", async () => {
    const { accessToken } = await aSession();
    const name = aName();
    await register(accessToken, name);
    for (const spelling of [name, name.toUpperCase(), `${name}.`]) {
      const { status, json } = await register(accessToken, spelling);
      expect([status, json().error.code]).toEqual([409, "CONFLICT"]);
    }
  });

  test("409 CONFLICT when another account has verified the domain, 201 while no account has", async () => {
    const [one, other, third] = [await aSession(), await aSession(), await aSession()];
    const name = aName();
    const first = await register(one.accessToken, name);
    expect((await register(other.accessToken, name)).status).toBe(201);
    await markVerified(first.json().domain_id);
    expect((await register(third.accessToken, name)).status).toBe(409);
  });

  test("of 20 concurrent registrations of one name, one returns 201 and nineteen return 409", async () => {
    const { accessToken } = await aSession();
    const name = aName();
    const responses = await Promise.all(Array.from({ length: 20 }, () => register(accessToken, name)));
    const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([201, ...new Array(19).fill(409)]);
    expect((await identitiesOf(deps)).filter((identity) => identity === name)).toHaveLength(1);
  });

  test("201 for a name that is reserved for documentation; it stays Pending", async () => {
    const { accessToken } = await aSession();
    const { status, json } = await register(accessToken, "example.com");
    expect([status, json().domain_name]).toEqual([201, "example.com"]);
    const path = `/api/v1/domains/${json().domain_id}`;
    const domain = (await api.call({ method: "GET", path, token: accessToken })).json();
    expect(domain.verification_status).toBe("Pending");
  });

  test("409 CONFLICT for sandbox.test, which every account has for test mail", async () => {
    const { accessToken } = await aSession();
    const { status, json } = await register(accessToken, "sandbox.test");
    expect([status, json().error.code]).toEqual([409, "CONFLICT"]);
    expect(json().error.message).toContain("sandbox.test");
  });

  test.for(["not a domain", "localhost", "co.uk", "10.0.0.1", `${"a".repeat(64)}.com`, "a..io"])(
    "422 VALIDATION_ERROR for the invalid domain %j, and the provider gets no request",
    async (name) => {
      const { accessToken } = await aSession();
      const before = await identitiesOf(deps);
      const { status, json } = await register(accessToken, name);
      expect([status, json().error.code]).toEqual([422, "VALIDATION_ERROR"]);
      expect(json().error.details[0].field).toBe("domain_name");
      expect(await identitiesOf(deps)).toEqual(before);
    },
  );

  test.for([{}, { domain_name: 5 }, { domain_name: "a.io", region: "eu" }, { domainName: "a.io" }])(
    "422 VALIDATION_ERROR for the body %j",
    async (body) => {
      const { accessToken } = await aSession();
      const { status } = await api.call({ method: "POST", path: "/api/v1/domains", token: accessToken, body });
      expect(status).toBe(422);
    },
  );

  test("429 with Retry-After after the registrations and removals of two minutes, for this account only", async () => {
    const [{ accessToken, accountId }, other] = [await aSession(), await aSession()];
    await api.database.db.query({
      name: "one-change-a-minute",
      text: "update accounts set domain_changes_per_minute = 1 where id = $1",
      values: [accountId],
    });
    const { domain_id: id } = (await register(accessToken, aName())).json();
    expect((await remove(accessToken, id)).status).toBe(200);
    const { status, headers, json } = await register(accessToken, aName());
    expect([status, json().error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
    expect((await register(other.accessToken, aName())).status).toBe(201);
  });

  test("422 VALIDATION_ERROR at the limit of domains says what to do", async () => {
    const { accessToken, accountId } = await aSession();
    await api.database.db.query({
      name: "fill-account",
      text: `
        insert into domains
          (account_id, domain_name, challenge_token, configuration_set_name, registered_at, identity_arn, dkim_tokens, dkim_zone)
        select $1, 'full-' || n || '.io', 't', 's', now(), 'a', '{}', 'z'
        from generate_series(1, 100) as n`,
      values: [accountId],
    });
    const { status, json } = await register(accessToken, aName());
    expect([status, json().error.code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(json().error.message).toContain("limit of 100 domains. Remove a domain");
  });

  test("503 with Retry-After while the installation is not connected to AWS", async () => {
    const { accessToken } = await aSession();
    api.deps.domainDeps = undefined;
    const { status, headers, json } = await register(accessToken, aName());
    api.deps.domainDeps = deps;
    expect([status, headers["retry-after"]]).toEqual([503, "60"]);
    expect(json().error.message).toContain("postern aws setup");
  });
});

describe("GET /api/v1/domains (interface 4.4)", () => {
  test("200 returns a bare array without DNS records", async () => {
    const { accessToken, accountId } = await aSession();
    const [one, two] = [aName(), aName()];
    await register(accessToken, one);
    await register(accessToken, two);
    const { status, json } = await api.call({ method: "GET", path: "/api/v1/domains", token: accessToken });
    expect(status).toBe(200);
    expect(json()).toEqual(
      [one, two].map((name) => ({
        domain_id: expect.any(Number),
        tenant_id: accountId,
        domain_name: name,
        verification_status: "Pending",
        identity_arn: expect.stringContaining(name),
        configuration_set_name: testConfigurationSet,
        last_checked_at: null,
        next_check_at: expect.any(String),
        records_found: 0,
        records_total: 4,
      })),
    );
  });

  test("200 counts the DNS records that the last check found", async () => {
    const { accessToken } = await aSession();
    const { domain_id, dns_records } = (await register(accessToken, aName())).json();
    const checks = dns_records.map((record: object, index: number) => ({
      record,
      status: ["found", "missing", "wrong", "found"][index],
    }));
    await change(api.database.db, "update domains set record_checks = $2, last_checked_at = now() where id = $1", [
      domain_id,
      JSON.stringify(checks),
    ]);
    const [listed] = (await api.call({ method: "GET", path: "/api/v1/domains", token: accessToken })).json();
    expect(listed).toMatchObject({ records_found: 2, records_total: 4, last_checked_at: expect.any(String) });
  });

  test("domains of another account are not listed", async () => {
    const [mine, other] = [await aSession(), await aSession()];
    await register(other.accessToken, aName());
    expect((await api.call({ method: "GET", path: "/api/v1/domains", token: mine.accessToken })).json()).toEqual([]);
  });
});

describe("GET /api/v1/domains/:id (interface 4.5)", () => {
  test("200 returns all fields, with the same DNS records as the registration", async () => {
    const { accessToken, accountId } = await aSession();
    const registered = (await register(accessToken, aName())).json();
    const { status, json } = await get(accessToken, registered.domain_id);
    expect(status).toBe(200);
    expect(json()).toEqual({
      ...registered,
      tenant_id: accountId,
      verification_status: "Pending",
      configuration_set_name: testConfigurationSet,
      last_checked_at: null,
      next_check_at: expect.any(String),
      mail_from: null,
    });
  });

  test("a domain of another account returns the same 404 body as an unknown id", async () => {
    const [mine, other] = [await aSession(), await aSession()];
    const theirs = (await register(other.accessToken, aName())).json().domain_id;
    const ids = [theirs, 2_147_483_647, "2147483648", "0", "-1", "1.5", "abc", "1e3", "%00"];
    for (const method of ["GET", "DELETE"] as const) {
      const texts = [];
      for (const id of ids) {
        const response = await api.call({ method, path: `/api/v1/domains/${id}`, token: mine.accessToken });
        expect(response.status).toBe(404);
        texts.push(response.text.replace(/"request_id":"[^"]+"/, ""));
      }
      expect(new Set(texts).size).toBe(1);
    }
    expect((await get(other.accessToken, theirs)).status).toBe(200);
  });
});

describe("DELETE /api/v1/domains/:id (interface 4.6)", () => {
  test("200 returns success true and removes the domain here and at the provider", async () => {
    const { accessToken } = await aSession();
    const { domain_id: id, domain_name: name } = (await register(accessToken, aName())).json();
    const { status, json } = await remove(accessToken, id);
    expect([status, json()]).toEqual([200, { success: true }]);
    expect((await get(accessToken, id)).status).toBe(404);
    expect((await remove(accessToken, id)).status).toBe(404);
    expect(await identitiesOf(deps)).not.toContain(name);
  });

  test("the provider keeps the identity while another account has the domain", async () => {
    const [one, other] = [await aSession(), await aSession()];
    const name = aName();
    const { domain_id: id } = (await register(one.accessToken, name)).json();
    await register(other.accessToken, name);
    await remove(one.accessToken, id);
    expect(await identitiesOf(deps)).toContain(name);
  });

  test("a domain that is registered again gets a new ownership record", async () => {
    const { accessToken } = await aSession();
    const name = aName();
    const first = (await register(accessToken, name)).json();
    await remove(accessToken, first.domain_id);
    const second = (await register(accessToken, name)).json();
    expect(second.dns_records[0].value).not.toBe(first.dns_records[0].value);
    expect(second.domain_id).not.toBe(first.domain_id);
  });
});

describe("POST /api/v1/domains/:id/verify", () => {
  test("202 schedules a check now, and an immediate second request returns 429 with Retry-After", async () => {
    const { accessToken } = await aSession();
    const { domain_id: id } = (await register(accessToken, aName())).json();
    const first = await verify(accessToken, id);
    expect(first.status).toBe(202);
    expect(Date.parse(first.json().next_check_at)).toBeLessThanOrEqual(Date.now() + 1000);
    const second = await verify(accessToken, id);
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "10"]);
  });

  test("404 for a domain of another account", async () => {
    const [mine, other] = [await aSession(), await aSession()];
    const { domain_id: id } = (await register(other.accessToken, aName())).json();
    expect((await verify(mine.accessToken, id)).status).toBe(404);
  });
});

test("every domain endpoint returns 401 without a JWT", async () => {
  for (const [method, path] of [
    ["POST", "/api/v1/domains"],
    ["GET", "/api/v1/domains"],
    ["GET", "/api/v1/domains/1"],
    ["DELETE", "/api/v1/domains/1"],
    ["POST", "/api/v1/domains/1/verify"],
  ] as const) {
    expect((await api.call({ method, path })).status).toBe(401);
  }
});

function aSession() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function aName(): string {
  return `shop-${randomBytes(5).toString("hex")}.io`;
}

function register(token: string, name: string) {
  return api.call({ method: "POST", path: "/api/v1/domains", token, body: { domain_name: name } });
}

function get(token: string, id: number) {
  return api.call({ method: "GET", path: `/api/v1/domains/${id}`, token });
}

function remove(token: string, id: number) {
  return api.call({ method: "DELETE", path: `/api/v1/domains/${id}`, token });
}

function verify(token: string, id: number) {
  return api.call({ method: "POST", path: `/api/v1/domains/${id}/verify`, token });
}

async function markVerified(id: number): Promise<void> {
  await api.database.db.query({
    name: "mark-verified",
    text: "update domains set verification_status = 'Success' where id = $1",
    values: [id],
  });
}
