import { setTimeout as pause } from "node:timers/promises";
import { allEndpoints, unknownId, userEndpoints } from "../fields.ts";
import { follow } from "../follow-send.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";

const status = `/api/v1/send/${unknownId}/status`;

export const authenticationTests: Tests = {
  "5-01": async (check, { ask, admin, scenes }) => {
    const { id } = (await scenes.delivered()).accepted;
    const headers = { "x-api-key": await admin.keyOf.test() };
    check.status("a request with X-API-Key", await ask("GET", `/api/v1/send/${id}/status`, { headers }), 200);
  },
  "5-02": async (check, { ask, admin }) => {
    check.matches("the header", admin.jwt.authorization, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    check.status("a request with it", await ask("GET", "/api/v1/domains", { headers: admin.jwt }), 200);
  },
  "5-03": async (check, { admin, scenes }) => {
    const [byKey, byJwt] = [await scenes.live(), await scenes.liveByJwt()];
    check.equal("the sends", [byKey.answer.status, byJwt.answer.status], [202, 202]);
    const path = `/api/v1/send/${byKey.accepted.id}/status`;
    const answers = [await admin.withKey("live", "GET", path), await admin.asUser("GET", path)];
    check.equal(
      "the statuses",
      answers.map((answer) => answer.status),
      [200, 200],
    );
  },
  "5-04": async (check, { admin }) => {
    for (const { method, path } of userEndpoints) {
      const answer = await admin.withKey("live", method, path, method === "POST" ? { body: {} } : {});
      check.error(`${method} ${path} with a key`, answer, 401, "UNAUTHORIZED");
    }
  },
  "5-05": async (check, { ask }) => {
    for (const { method, path } of allEndpoints) {
      const answer = await ask(method, path, method === "POST" ? { body: {} } : {});
      check.error(`${method} ${path} without credentials`, answer, 401, "UNAUTHORIZED");
    }
  },
  "5-06": async (check, { ask, admin }) => {
    const key = await admin.keyOf.test();
    const changed = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
    const [head, claims] = String(admin.jwt.authorization).split(".");
    const bad = [
      { "x-api-key": "nonsense" },
      { "x-api-key": changed },
      { authorization: "Bearer nonsense" },
      { authorization: `${head}.${claims}.${"A".repeat(86)}` },
    ];
    for (const headers of bad) {
      check.error(
        `a send with ${Object.keys(headers)[0]}`,
        await ask("POST", "/api/v1/send", { headers, body: {} }),
        401,
        "UNAUTHORIZED",
      );
    }
    for (const headers of bad.slice(2)) {
      check.error("the events with a bad JWT", await ask("GET", "/api/v1/events", { headers }), 401, "UNAUTHORIZED");
    }
  },
  "5-07": async (check, { scenes, ask }) => {
    const { key, after } = await scenes.revokedKey();
    check.error("the next request", after, 401, "UNAUTHORIZED");
    const headers = { "x-api-key": key.key };
    check.error("a send", await ask("POST", "/api/v1/send", { headers, body: {} }), 401, "UNAUTHORIZED");
  },
  "5-08": async (check, { scenes }) => {
    const { lasting, expiring, list } = await scenes.key();
    check.equal("the types", [lasting.body.type, expiring.body.type], ["live", "test"]);
    check.equal("the first expires", lasting.body.expires_at, null);
    check.timestamp("the second expires", expiring.body.expires_at);
    check.holds("they are not shown again", ![lasting, expiring].some(({ body }) => list.text.includes(body.key)));
  },
  "5-09": async (check, { admin }) => {
    check.status("a request with the token of the log-in", await admin.asUser("GET", "/api/v1/api-keys"), 200);
  },
  "5-10": async (check, { ask, admin }) => {
    const expires_at = new Date(Date.now() + 3000).toISOString();
    const { body } = await admin.createKey({ name: "acceptance brief", type: "test", expires_at });
    const headers = { "x-api-key": String(body?.key) };
    check.error("a request before", await ask("GET", status, { headers }), 404, "NOT_FOUND");
    // A second more: the clocks of this machine and the deployment's database may differ a little.
    await pause(4500);
    check.error("a request after it expired", await ask("GET", status, { headers }), 401, "UNAUTHORIZED");
  },
  "5-11": async (check, { admin, scenes }) => {
    const [test, live] = [(await scenes.delivered()).accepted.id, (await scenes.live()).accepted.id];
    check.error("test mail by a live key", await admin.status("live", test), 404, "NOT_FOUND");
    check.error("live mail by a test key", await admin.status("test", live), 404, "NOT_FOUND");
  },
  "5-12": async (check, world) => {
    const view = world.simulator();
    const [label = ""] = world.recipient("success").split("@");
    const mail = { ...aMail(world, "delivered"), to: [`${label}@simulator.amazonses.com`] };
    const { record } = await follow(world.admin, "test", mail, ["delivered"]);
    check.equal("the status of the test mail", record.status, "delivered");
    const live = await world.scenes.live();
    check.equal("live mails at the provider", (await view.mailsTo(live.payload.to[0] ?? "")).length, 1);
    check.equal("mails of it at the provider", await view.mailsTo(mail.to[0] ?? ""), []);
  },
};
