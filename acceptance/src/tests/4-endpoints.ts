import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { allEndpoints } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";

export const endpointTests: Tests = {
  "4-01": async (check, context) => {
    for (const [what, answer] of [...(await successfulAnswers(context)), ...(await refusals(context))]) {
      check.matches(`the type of ${what}`, answer.headers.get("content-type"), /^application\/json\b/);
    }
    const headers = { ...context.admin.jwt, "content-type": "text/plain" };
    const response = await context.request("POST", "/api/v1/api-keys", { headers, body: '{"name":"a","type":"test"}' });
    check.status("a body with the content type text/plain", response, 415);
  },
  "4-02": async (check, { fixtures }) => {
    check.status("a send with a key", (await fixtures.liveSend()).answer, 202);
    check.status("a send with a JWT", (await fixtures.liveSendByJwt()).answer, 202);
  },
  "4-03": async (check, { fixtures, admin }) => {
    const { id } = (await fixtures.liveSend()).accepted;
    check.status("reading the status with a key", await admin.status("live", id), 200);
    check.status("reading the status with a JWT", await admin.asUser("GET", `/api/v1/send/${id}/status`), 200);
  },
  "4-04": async (check, context) => {
    const body = { domain_name: context.freshDomain() };
    await checkNeedsJwt(check, context, "POST", "/api/v1/domains", body);
    check.status("registering a domain with a JWT", (await context.fixtures.domain()).registered, 201);
  },
  "4-05": async (check, context) => {
    await checkNeedsJwt(check, context, "GET", "/api/v1/domains");
    check.status("the list with a JWT", await context.admin.asUser("GET", "/api/v1/domains"), 200);
  },
  "4-06": async (check, context) => {
    const { path, got } = await context.fixtures.domain();
    await checkNeedsJwt(check, context, "GET", path);
    check.status("reading the domain with a JWT", got, 200);
  },
  "4-07": async (check, context) => {
    await checkNeedsJwt(check, context, "DELETE", (await context.fixtures.domain()).path);
    check.status("removal with a JWT", (await context.fixtures.removedDomain()).removal, 200);
  },
  "4-08": async (check, context) => {
    await checkNeedsJwt(check, context, "POST", "/api/v1/api-keys", { name: "acceptance", type: "test" });
    check.status("creating a key with a JWT", (await context.fixtures.apiKeys()).lasting, 201);
  },
  "4-09": async (check, context) => {
    await checkNeedsJwt(check, context, "GET", "/api/v1/api-keys");
    check.status("the list with a JWT", (await context.fixtures.apiKeys()).list, 200);
  },
  "4-10": async (check, context) => {
    await checkNeedsJwt(
      check,
      context,
      "DELETE",
      `/api/v1/api-keys/${(await context.fixtures.apiKeys()).lasting.body.id}`,
    );
    check.status("revoking a key with a JWT", (await context.fixtures.revokedKey()).revocation, 200);
  },
  "4-11": async (check, context) => {
    await checkNeedsJwt(check, context, "GET", "/api/v1/suppression");
    check.status("the list with a JWT", await context.admin.asUser("GET", "/api/v1/suppression"), 200);
  },
  "4-12": async (check, context) => {
    const { address } = await context.fixtures.bounced();
    await checkNeedsJwt(check, context, "DELETE", `/api/v1/suppression/${encodeURIComponent(address)}`);
    check.status("removal with a JWT", (await context.fixtures.suppressionRemoved()).removal, 200);
  },
  "4-13": async (check, context) => {
    await checkNeedsJwt(check, context, "GET", "/api/v1/events");
    check.status("the list with a JWT", await context.admin.asUser("GET", "/api/v1/events"), 200);
  },
};

/** One answer of every endpoint. */
async function successfulAnswers({ admin, fixtures }: TestContext): Promise<[string, Answer][]> {
  const [send, domain, removedDomain, keys, revokedKey, suppression] = await Promise.all([
    fixtures.delivered(),
    fixtures.domain(),
    fixtures.removedDomain(),
    fixtures.apiKeys(),
    fixtures.revokedKey(),
    fixtures.suppressionRemoved(),
  ]);
  return [
    ["a 202", send.answer],
    ["a status record", await admin.status("test", send.accepted.id)],
    ["a registered domain", domain.registered],
    ["the list of domains", domain.list],
    ["a domain", domain.got],
    ["a removed domain", removedDomain.removal],
    ["a created key", keys.lasting],
    ["the list of keys", keys.list],
    ["a revoked key", revokedKey.revocation],
    ["the list of suppressions", await admin.asUser("GET", "/api/v1/suppression")],
    ["a removed suppression", suppression.removal],
    ["the list of events", await admin.asUser("GET", "/api/v1/events")],
  ];
}

async function refusals({ request, admin }: TestContext): Promise<[string, Answer][]> {
  const answers: [string, Answer][] = [
    ["an invalid send", await admin.send("test", {})],
    ["an unknown domain", await admin.asUser("GET", "/api/v1/domains/2147483647")],
    ["an invalid domain name", await admin.asUser("POST", "/api/v1/domains", { body: {} })],
    ["an unknown path", await admin.asUser("GET", "/api/v1/unknown")],
  ];
  for (const { method, path } of allEndpoints) {
    answers.push([`${method} ${path} without credentials`, await request(method, path)]);
  }
  return answers;
}

/** The endpoint refuses requests without a credential and requests with an API key. */
async function checkNeedsJwt(
  check: Check,
  { request, admin }: TestContext,
  method: string,
  path: string,
  body?: unknown,
) {
  const options = body === undefined ? {} : { body };
  check.error(`${method} ${path} without credentials`, await request(method, path, options), 401, "UNAUTHORIZED");
  check.error(`${method} ${path} with a key`, await admin.withKey("live", method, path, options), 401, "UNAUTHORIZED");
}
