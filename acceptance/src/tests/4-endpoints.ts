import type { Check } from "../check.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const endpointTests: Tests = {
  "4-01": async (check, world) => {
    const { answer } = await world.scenes.delivered();
    check.matches("the type of an answer", answer.headers.get("content-type"), /^application\/json\b/);
    const list = await world.admin.asUser("GET", "/api/v1/api-keys");
    check.matches("the type of a list", list.headers.get("content-type"), /^application\/json\b/);
    const headers = { ...world.admin.jwt, "content-type": "text/plain" };
    const response = await world.ask("POST", "/api/v1/api-keys", { headers, body: '{"name":"a","type":"test"}' });
    check.status("a body announced as plain text", response, 415);
  },
  "4-02": async (check, { scenes }) => {
    check.status("a send by key", (await scenes.live()).answer, 202);
    check.status("a send by JWT", (await scenes.liveByJwt()).answer, 202);
  },
  "4-03": async (check, { scenes, admin }) => {
    const { id } = (await scenes.live()).accepted;
    check.status("the status by key", await admin.status("live", id), 200);
    check.status("the status by JWT", await admin.asUser("GET", `/api/v1/send/${id}/status`), 200);
  },
  "4-04": async (check, world) => {
    const body = { domain_name: world.freshDomain() };
    await needsJwt(check, world, "POST", "/api/v1/domains", body);
    check.status("registering by JWT", (await world.scenes.domain()).registered, 201);
  },
  "4-05": async (check, world) => {
    await needsJwt(check, world, "GET", "/api/v1/domains");
    check.status("the list by JWT", await world.admin.asUser("GET", "/api/v1/domains"), 200);
  },
  "4-06": async (check, world) => {
    const { path, got } = await world.scenes.domain();
    await needsJwt(check, world, "GET", path);
    check.status("the domain by JWT", got, 200);
  },
  "4-07": async (check, world) => {
    await needsJwt(check, world, "DELETE", (await world.scenes.domain()).path);
    check.status("removal by JWT", (await world.scenes.removedDomain()).removal, 200);
  },
  "4-08": async (check, world) => {
    await needsJwt(check, world, "POST", "/api/v1/api-keys", { name: "acceptance", type: "test" });
    check.status("making a key by JWT", (await world.scenes.key()).lasting, 201);
  },
  "4-09": async (check, world) => {
    await needsJwt(check, world, "GET", "/api/v1/api-keys");
    check.status("the list by JWT", (await world.scenes.key()).list, 200);
  },
  "4-10": async (check, world) => {
    await needsJwt(check, world, "DELETE", `/api/v1/api-keys/${(await world.scenes.key()).lasting.body.id}`);
    check.status("revoking by JWT", (await world.scenes.revokedKey()).revocation, 200);
  },
  "4-11": async (check, world) => {
    await needsJwt(check, world, "GET", "/api/v1/suppression");
    check.status("the list by JWT", await world.admin.asUser("GET", "/api/v1/suppression"), 200);
  },
  "4-12": async (check, world) => {
    const { address } = await world.scenes.bounced();
    await needsJwt(check, world, "DELETE", `/api/v1/suppression/${encodeURIComponent(address)}?mode=test`);
    check.status("removal by JWT", (await world.scenes.removed()).removal, 200);
  },
  "4-13": async (check, world) => {
    await needsJwt(check, world, "GET", "/api/v1/events");
    check.status("the list by JWT", await world.admin.asUser("GET", "/api/v1/events"), 200);
  },
};

/** Neither without a credential nor with an API key. */
async function needsJwt(check: Check, { ask, admin }: World, method: string, path: string, body?: unknown) {
  const question = body === undefined ? {} : { body };
  check.error(`${method} ${path} without credentials`, await ask(method, path, question), 401, "UNAUTHORIZED");
  check.error(`${method} ${path} with a key`, await admin.withKey("live", method, path, question), 401, "UNAUTHORIZED");
}
