import { unknownId } from "../fields.ts";
import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";

export const errorTests: Tests = {
  "7-01": async (check, context) => {
    const answer = await context.admin.send("test", {
      ...testMail(context, "delivered"),
      from: "a@elsewhere.example.com",
    });
    check.error("a send from an unverified domain", answer, 400, "DOMAIN_NOT_VERIFIED");
  },
  "7-02": async (check, { request }) => {
    const requests = [
      ["POST", "/api/v1/send"],
      ["GET", `/api/v1/send/${unknownId}/status`],
      ["DELETE", "/api/v1/suppression/nobody%40sandbox.test"],
      ["GET", "/api/v1/domains"],
    ] as const;
    for (const [method, path] of requests) {
      check.error(`${method} ${path} without credentials`, await request(method, path), 401, "UNAUTHORIZED");
      const headers = { "x-api-key": "wrong", authorization: "Bearer wrong" };
      check.error(
        `${method} ${path} with invalid credentials`,
        await request(method, path, { headers }),
        401,
        "UNAUTHORIZED",
      );
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
  "7-04": async (check, { admin, fixtures }) => {
    check.error("a reused key with another payload", (await fixtures.repeatedSend()).third, 409, "CONFLICT");
    const body = { domain_name: (await fixtures.domain()).name };
    check.error("a registered domain", await admin.asUser("POST", "/api/v1/domains", { body }), 409, "CONFLICT");
  },
  "7-05": async (check, { admin }) => {
    check.error("an empty send", await admin.send("test", {}), 422, "VALIDATION_ERROR");
    const body = { domain_name: "no domain" };
    check.error(
      "registering an invalid domain name",
      await admin.asUser("POST", "/api/v1/domains", { body }),
      422,
      "VALIDATION_ERROR",
    );
  },
  "7-06": async (check, { fixtures }) => {
    const { burst, second } = await fixtures.limits();
    const refused = burst.filter(({ status }) => status !== 202);
    check.equal("the number of refused requests out of four", refused.length, 1);
    for (const answer of refused) check.error("the refused request", answer, 429, "RATE_LIMIT_EXCEEDED");
    check.status("a request after a pause", second.accepted, 202);
  },
  "7-07": async (check, { request, admin }) => {
    for (const answer of [await request("GET", "/api/v1/domains"), await admin.asUser("GET", "/api/v1/domains/0")]) {
      check.fields("an error", answer.body, ["success", "error"]);
      check.equal("success", answer.body.success, false);
      check.fields("the error field", answer.body.error, ["code", "message", "request_id", "doc_url"]);
    }
    const { body } = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name: 7 } });
    check.equal("the field in details", body?.error?.details?.[0]?.field, "domain_name");
  },
  "7-08": async (check, { fixtures }) => {
    const { record } = await fixtures.rejected();
    check.equal("status", record.status, "failed");
    check.text("error_code", record.error_code);
    check.text("error_message", record.error_message);
  },
};
