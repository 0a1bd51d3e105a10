import { allEndpoints } from "../fields.ts";
import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";

export const purposeTests: Tests = {
  "0-01": async (check, { request }) => {
    for (const { method, path } of allEndpoints) {
      const { status } = await request(method, path, method === "POST" ? { body: {} } : {});
      // An existing endpoint answers 401; an unknown path answers 404.
      check.equal(`the status of ${method} ${path} without credentials`, status, 401);
    }
  },
  "0-02": async (check, context) => {
    const { answer } = await context.fixtures.delivered();
    check.matches("the type of a 202", answer.headers.get("content-type"), /^application\/json\b/);
    check.equal("the type of the parsed 202 body", typeof answer.body, "object");
    const broken = await context.admin.send("test", '{"from": ');
    check.error("a body that is not JSON", broken, 422, "VALIDATION_ERROR");
    check.matches("the type of an error", broken.headers.get("content-type"), /^application\/json\b/);
  },
  "0-03": async (check, { fixtures }) => {
    const [{ accepted, record, events }, { entry }, key] = [
      await fixtures.delivered(),
      await fixtures.bounced(),
      await fixtures.apiKeys(),
    ];
    check.timestamp("queued_at", accepted.queued_at);
    check.timestamp("sent_at", record.sent_at);
    check.timestamp("event_timestamp", events[0]?.event_timestamp);
    check.timestamp("suppressed_at", entry?.suppressed_at);
    check.timestamp("created_at", key.lasting.body.created_at);
    check.timestamp("expires_at", key.expiring.body.expires_at);
  },
  "1-01": async (check, { fixtures }) => {
    const { answer, accepted, seen } = await fixtures.throttled();
    check.status("the send", answer, 202);
    check.equal("the status in the 202", accepted.status, "queued");
    check.holds("the record after the 202 has no sent_at", seen.get("queued")?.sent_at === null, [...seen.keys()]);
  },
  "1-02": async (check, { fixtures }) => {
    const { accepted, suppressed, rest, events } = await fixtures.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const reached = events.filter(({ event_type }) => event_type === "Delivery").map(({ recipient }) => recipient);
    check.equal("the recipients of the mail", reached, [rest]);
  },
  "1-03": async (check, context) => {
    const { name } = await context.fixtures.domain();
    const fromPending = await context.admin.send("test", { ...testMail(context, "delivered"), from: `hello@${name}` });
    check.error("a send from a registered but unverified domain", fromPending, 400, "DOMAIN_NOT_VERIFIED");
    const { answer } = await context.fixtures.liveSend();
    check.status("a send from a verified domain", answer, 202);
  },
  "1-04": async (check, { fixtures, admin }) => {
    const { accepted, record } = await fixtures.delivered();
    check.uuid("id", accepted.id);
    check.equal("the final status", record.status, "delivered");
    const later = await admin.status("test", accepted.id);
    check.equal("the record on a second read", later.body, record);
  },
  "1-05": async (check, { fixtures }) => {
    for (const [type, fixture] of [
      ["Delivery", fixtures.delivered],
      ["Bounce", fixtures.bounced],
      ["Complaint", fixtures.complained],
    ] as const) {
      const { accepted, events } = await fixture();
      const found = events.find(({ event_type }) => event_type === type);
      check.equal(`the send of the ${type} event`, found?.email_id, accepted.id);
    }
  },
  "1-06": async (check, { fixtures }) => {
    check.equal("the reason after a hard bounce", (await fixtures.bounced()).entry?.reason, "hard_bounce");
    check.equal("the reason after a complaint", (await fixtures.complained()).entry?.reason, "complaint");
  },
  "1-07": async (check, { fixtures }) => {
    const { registered, got } = await fixtures.domain();
    check.holds("there are DNS records", registered.body?.dns_records?.length > 0, registered.body);
    check.oneOf("verification_status in get", got.body?.verification_status, ["Pending", "Success", "Failed"]);
  },
  "1-08": async (check, { admin }) => {
    const { body } = await admin.createKey({ name: "acceptance short-lived", type: "test" });
    const ids = async () => (await admin.asUser("GET", "/api/v1/api-keys")).body.map(({ id }: { id: string }) => id);
    check.holds("the new key is listed", (await ids()).includes(body.id));
    check.status("revoking the key", await admin.asUser("DELETE", `/api/v1/api-keys/${body.id}`), 200);
    check.holds("the revoked key is not listed", !(await ids()).includes(body.id));
  },
  "1-09": async (check, { admin }) => {
    for (const resource of ["templates", "campaigns", "contacts", "lists"]) {
      const answer = await admin.asUser("GET", `/api/v1/${resource}`);
      check.error(`/api/v1/${resource}`, answer, 404, "NOT_FOUND");
    }
  },
};
