import { unknownId } from "../fields.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";

export const errorTests: Tests = {
  "7-01": async (check, world) => {
    const answer = await world.admin.send("test", { ...aMail(world, "delivered"), from: "a@elsewhere.example.com" });
    check.error("a send from a domain that is not verified", answer, 400, "DOMAIN_NOT_VERIFIED");
  },
  "7-02": async (check, { ask }) => {
    const requests = [
      ["POST", "/api/v1/send"],
      ["GET", `/api/v1/send/${unknownId}/status`],
      ["DELETE", "/api/v1/suppression/nobody%40sandbox.test"],
      ["GET", "/api/v1/domains"],
    ] as const;
    for (const [method, path] of requests) {
      check.error(`${method} ${path} without`, await ask(method, path), 401, "UNAUTHORIZED");
      const headers = { "x-api-key": "wrong", authorization: "Bearer wrong" };
      check.error(`${method} ${path} with wrong ones`, await ask(method, path, { headers }), 401, "UNAUTHORIZED");
    }
  },
  "7-03": async (check, { admin }) => {
    const requests = [
      ["GET", `/api/v1/send/${unknownId}/status`],
      ["GET", "/api/v1/domains/2147483647"],
      ["DELETE", "/api/v1/domains/2147483647"],
      ["DELETE", `/api/v1/api-keys/${unknownId}`],
      ["DELETE", "/api/v1/suppression/nobody-at-all%40sandbox.test"],
    ] as const;
    for (const [method, path] of requests) {
      check.error(`${method} ${path}`, await admin.asUser(method, path), 404, "NOT_FOUND");
    }
  },
  "7-04": async (check, { admin, scenes }) => {
    check.error("a reused key with another payload", (await scenes.repeated()).third, 409, "CONFLICT");
    const body = { domain_name: (await scenes.domain()).name };
    check.error("a registered domain", await admin.asUser("POST", "/api/v1/domains", { body }), 409, "CONFLICT");
  },
  "7-05": async (check, { admin }) => {
    check.error("an empty send", await admin.send("test", {}), 422, "VALIDATION_ERROR");
    const body = { domain_name: "no domain" };
    check.error("no domain", await admin.asUser("POST", "/api/v1/domains", { body }), 422, "VALIDATION_ERROR");
  },
  "7-06": async (check, { scenes }) => {
    const { burst, second } = await scenes.limits();
    const refused = burst.filter(({ status }) => status !== 202);
    check.equal("how many of four were refused", refused.length, 1);
    for (const answer of refused) check.error("the refused one", answer, 429, "RATE_LIMIT_EXCEEDED");
    check.status("one that waited", second.accepted, 202);
  },
  "7-07": async (check, { ask, admin }) => {
    for (const answer of [await ask("GET", "/api/v1/domains"), await admin.asUser("GET", "/api/v1/domains/0")]) {
      check.fields("an error", answer.body, ["success", "error"]);
      check.equal("success", answer.body.success, false);
      check.fields("its error", answer.body.error, ["code", "message", "request_id", "doc_url"]);
    }
    const { body } = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name: 7 } });
    check.equal("the field in details", body?.error?.details?.[0]?.field, "domain_name");
  },
  "7-08": async (check, { scenes }) => {
    const { record } = await scenes.rejected();
    check.equal("status", record.status, "failed");
    check.text("error_code", record.error_code);
    check.text("error_message", record.error_message);
  },
};
