import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { openDomainFixture } from "../../../../test/domain-fixture.ts";
import { change } from "../../../../test/send-rows.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { DomainDeps } from "../../../domains/register-domain.ts";
import { ProviderError } from "../../../provider/email-provider.ts";

const ses = useSesSimulator();
const api = useTestApi();
let deps: DomainDeps;

beforeAll(async () => {
  deps = await openDomainFixture(api.database.db, api.database.url, ses.simulator);
  api.deps.domainDeps = deps;
});
afterAll(() => deps.locks.close());

describe("POST /api/v1/domains/:id/mail-from", () => {
  test("200 returns the domain with the MAIL FROM domain and its two records, and SES has it", async () => {
    const { accessToken, id, name } = await aVerified();
    const { status, json } = await set(accessToken, id, { subdomain: "Bounce" });
    const domain = `bounce.${name}`;
    const mailFrom = {
      domain,
      status: "Pending",
      records: [
        { type: "MX", name: domain, value: `10 feedback-smtp.${ses.region}.amazonses.com` },
        { type: "TXT", name: domain, value: "v=spf1 include:amazonses.com ~all" },
      ],
    };
    expect([status, json().mail_from]).toEqual([200, mailFrom]);
    expect((await get(accessToken, id)).json().mail_from).toEqual(mailFrom);
    expect((await deps.provider.findIdentity(name))?.mailFrom?.domain).toBe(domain);
  });

  test("200 with null removes it, also when there is none", async () => {
    const { accessToken, id, name } = await aVerified();
    await set(accessToken, id, { subdomain: "bounce" });
    for (let times = 0; times < 2; times++) {
      const { status, json } = await set(accessToken, id, { subdomain: null });
      expect([status, json().mail_from]).toEqual([200, null]);
    }
    expect((await deps.provider.findIdentity(name))?.mailFrom).toBeUndefined();
  });

  test("200 while SES is away: the wish is stored for the chore", async () => {
    const { accessToken, id } = await aVerified();
    const away = () => Promise.reject(new ProviderError("unavailable", "away", undefined));
    api.deps.domainDeps = { ...deps, provider: { ...deps.provider, setMailFrom: away } };
    const { status, json } = await set(accessToken, id, { subdomain: "bounce" });
    api.deps.domainDeps = deps;
    expect([status, json().mail_from.status]).toEqual([200, "Pending"]);
    expect(api.logLines.join("")).toContain("domain.mail-from-postponed");
  });

  test("401 without a credential", async () => {
    const { status } = await api.call({
      method: "POST",
      path: "/api/v1/domains/1/mail-from",
      body: { subdomain: "a" },
    });
    expect(status).toBe(401);
  });

  test("404 for an unknown id and for a domain of another account, with the same body", async () => {
    const [mine, other] = [await aVerified(), await aVerified()];
    const texts = [];
    for (const id of [other.id, 2_147_483_647, "abc"]) {
      const response = await set(mine.accessToken, id, { subdomain: "bounce" });
      expect(response.status).toBe(404);
      texts.push(response.text.replace(/"request_id":"[^"]+"/, ""));
    }
    expect(new Set(texts).size).toBe(1);
    expect((await deps.provider.findIdentity(other.name))?.mailFrom).toBeUndefined();
  });

  test("409 while the domain is not verified", async () => {
    const { accessToken, id } = await aVerified();
    await change(api.database.db, "update domains set verification_status = 'Pending' where id = $1", [id]);
    const { status, json } = await set(accessToken, id, { subdomain: "bounce" });
    expect([status, json().error.code]).toEqual([409, "CONFLICT"]);
  });

  test("422 for a subdomain that is no DNS name, a missing one and an unknown field", async () => {
    const { accessToken, id } = await aVerified();
    for (const body of [{ subdomain: "a b" }, { subdomain: "" }, { subdomain: 1 }, {}, { subdomain: "a", more: 1 }]) {
      expect((await set(accessToken, id, body)).status).toBe(422);
    }
  });

  test("429 with Retry-After after too many changes of domains", async () => {
    const { accessToken, id, accountId } = await aVerified();
    const text = "update accounts set domain_changes_at = now() + interval '119 seconds' where id = $1";
    await change(api.database.db, text, [accountId]);
    const { status, headers } = await set(accessToken, id, { subdomain: "bounce" });
    expect([status, Number(headers["retry-after"])]).toEqual([429, expect.any(Number)]);
  });

  test("503 with Retry-After while the installation is not connected to AWS", async () => {
    const { accessToken, id } = await aVerified();
    api.deps.domainDeps = undefined;
    const { status, headers } = await set(accessToken, id, { subdomain: "bounce" });
    api.deps.domainDeps = deps;
    expect([status, headers["retry-after"]]).toEqual([503, "60"]);
  });
});

async function aVerified() {
  const { accessToken, accountId } = await aLogin(api.database.db, api.deps.loginDeps);
  const name = `shop-${randomBytes(5).toString("hex")}.io`;
  const body = { domain_name: name };
  const registered = await api.call({ method: "POST", path: "/api/v1/domains", token: accessToken, body });
  const id: number = registered.json().domain_id;
  await change(api.database.db, "update domains set verification_status = 'Success' where id = $1", [id]);
  return { accessToken, accountId, id, name };
}

function set(token: string, id: number | string, body: object) {
  return api.call({ method: "POST", path: `/api/v1/domains/${id}/mail-from`, token, body });
}

function get(token: string, id: number) {
  return api.call({ method: "GET", path: `/api/v1/domains/${id}`, token });
}
