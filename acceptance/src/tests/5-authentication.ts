import { setTimeout as pause } from "node:timers/promises";
import { allEndpoints, unknownId, userEndpoints } from "../fields.ts";
import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { trackSend } from "../track-send.ts";

const status = `/api/v1/send/${unknownId}/status`;

export const authenticationTests: Tests = {
  "5-01": async (check, { request, admin, fixtures }) => {
    const { id } = (await fixtures.delivered()).accepted;
    const headers = { "x-api-key": await admin.keyOf.test() };
    check.status("a request with X-API-Key", await request("GET", `/api/v1/send/${id}/status`, { headers }), 200);
  },
  "5-02": async (check, { request, admin }) => {
    check.matches("the Authorization header", admin.jwt.authorization, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    check.status("a request with the JWT", await request("GET", "/api/v1/domains", { headers: admin.jwt }), 200);
  },
  "5-03": async (check, { admin, fixtures }) => {
    const [byKey, byJwt] = [await fixtures.liveSend(), await fixtures.liveSendByJwt()];
    check.equal("the statuses of the sends", [byKey.answer.status, byJwt.answer.status], [202, 202]);
    const path = `/api/v1/send/${byKey.accepted.id}/status`;
    const answers = [await admin.withKey("live", "GET", path), await admin.asUser("GET", path)];
    check.equal(
      "the statuses of the reads",
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
  "5-05": async (check, { request }) => {
    for (const { method, path } of allEndpoints) {
      const answer = await request(method, path, method === "POST" ? { body: {} } : {});
      check.error(`${method} ${path} without credentials`, answer, 401, "UNAUTHORIZED");
    }
  },
  "5-06": async (check, { request, admin }) => {
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
        await request("POST", "/api/v1/send", { headers, body: {} }),
        401,
        "UNAUTHORIZED",
      );
    }
    for (const headers of bad.slice(2)) {
      check.error(
        "the events with an invalid JWT",
        await request("GET", "/api/v1/events", { headers }),
        401,
        "UNAUTHORIZED",
      );
    }
  },
  "5-07": async (check, { fixtures, request }) => {
    const { key, after } = await fixtures.revokedKey();
    check.error("the next request", after, 401, "UNAUTHORIZED");
    const headers = { "x-api-key": key.key };
    check.error(
      "a send with the revoked key",
      await request("POST", "/api/v1/send", { headers, body: {} }),
      401,
      "UNAUTHORIZED",
    );
  },
  "5-08": async (check, { fixtures }) => {
    const { lasting, expiring, list } = await fixtures.apiKeys();
    check.equal("the types of the keys", [lasting.body.type, expiring.body.type], ["live", "test"]);
    check.equal("expires_at of the first key", lasting.body.expires_at, null);
    check.timestamp("expires_at of the second key", expiring.body.expires_at);
    check.holds("the list contains neither key", ![lasting, expiring].some(({ body }) => list.text.includes(body.key)));
  },
  "5-09": async (check, { admin }) => {
    check.status("a request with the token from the login", await admin.asUser("GET", "/api/v1/api-keys"), 200);
  },
  "5-10": async (check, { request, admin }) => {
    const expires_at = new Date(Date.now() + 3000).toISOString();
    const { body } = await admin.createKey({ name: "acceptance brief", type: "test", expires_at });
    const headers = { "x-api-key": String(body?.key) };
    check.error("a request before the key expires", await request("GET", status, { headers }), 404, "NOT_FOUND");
    // One extra second, because the clocks of this machine and of the deployment's database can differ.
    await pause(4500);
    check.error("a request after the key expired", await request("GET", status, { headers }), 401, "UNAUTHORIZED");
  },
  "5-11": async (check, { admin, fixtures }) => {
    const [test, live] = [(await fixtures.delivered()).accepted.id, (await fixtures.liveSend()).accepted.id];
    check.error("test mail read with a live key", await admin.status("live", test), 404, "NOT_FOUND");
    check.error("live mail read with a test key", await admin.status("test", live), 404, "NOT_FOUND");
  },
  "5-12": async (check, context) => {
    const view = context.simulator();
    const [label = ""] = context.recipient("success").split("@");
    const mail = { ...testMail(context, "delivered"), to: [`${label}@simulator.amazonses.com`] };
    const { record } = await trackSend(context.admin, "test", mail, ["delivered"]);
    check.equal("the status of the test mail", record.status, "delivered");
    const live = await context.fixtures.liveSend();
    check.equal("the number of live mails at the provider", (await view.mailsTo(live.payload.to[0] ?? "")).length, 1);
    check.equal("the test mails at the provider", await view.mailsTo(mail.to[0] ?? ""), []);
  },
  "5-13": async (check, { requestLogIn }) => {
    check.error("a log-in with a wrong password", await requestLogIn("not the password"), 401, "UNAUTHORIZED");
    // A successful log-in also resets the count of failures.
    check.status("a log-in with the correct password", await requestLogIn(), 200);
  },
};
