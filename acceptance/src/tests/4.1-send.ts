import { setTimeout as pause } from "node:timers/promises";
import { acceptanceFields, recordFields, unknownId } from "../fields.ts";
import { listAll } from "../list-all.ts";
import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { until } from "../until.ts";

export const sendTests: Tests = {
  "4.1-01": async (check, context) => {
    const payload = {
      ...testMail(context, "delivered"),
      html: "<p>Hello.</p>",
      cc: [context.recipient("delivered")],
      bcc: [context.recipient("delivered")],
      reply_to: "answers@sandbox.test",
      idempotency_key: `all-${context.recipient("key")}`,
    };
    const answer = await context.admin.send("test", payload);
    check.status("a send with every field", answer, 202);
    const { body } = await context.admin.status("test", answer.body?.id);
    check.equal("the recipients", body?.to_addresses, [...payload.to, ...payload.cc, ...payload.bcc]);
    check.equal("the idempotency key", answer.body?.idempotency_key, payload.idempotency_key);
  },
  "4.1-02": async (check, { fixtures }) => {
    check.fields("an acceptance", (await fixtures.delivered()).accepted, acceptanceFields);
    const filtered = [...acceptanceFields, "suppressed_recipients"];
    check.fields("an acceptance with filtered recipients", (await fixtures.partlySuppressed()).accepted, filtered);
  },
  "4.1-03": async (check, context) => {
    const mail = testMail(context, "delivered");
    const unknown = await context.admin.send("test", { ...mail, from: "a@not-registered.example.com" });
    check.error("a send from an unknown domain", unknown, 400, "DOMAIN_NOT_VERIFIED");
    const { name } = await context.fixtures.domain();
    const pending = await context.admin.send("test", { ...mail, from: `a@${name}` });
    check.error("a send from a pending domain", pending, 400, "DOMAIN_NOT_VERIFIED");
  },
  "4.1-04": async (check, context) => {
    for (const field of ["from", "to", "subject"]) {
      const answer = await context.admin.send("test", { ...testMail(context, "delivered"), [field]: undefined });
      check.error(`a send without ${field}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.1-05": async (check, context) => {
    const answer = await context.admin.send("test", { ...testMail(context, "delivered"), text: undefined });
    check.error("a send without html and text", answer, 422, "VALIDATION_ERROR");
  },
  "4.1-06": async (check, context) => {
    const bad = "not-an-address";
    const fields = [{ from: bad }, { to: [bad] }, { cc: [bad] }, { bcc: [bad] }, { reply_to: bad }];
    for (const field of fields) {
      const answer = await context.admin.send("test", { ...testMail(context, "delivered"), ...field });
      check.error(`a send with ${JSON.stringify(field)}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.1-07": async (check, { fixtures }) => {
    const { accepted, suppressed, events } = await fixtures.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const about = events.filter(({ recipient }) => recipient === suppressed).map(({ event_type }) => event_type);
    check.equal("the events of the suppressed recipient", about, ["Suppression"]);
  },
  "4.1-08": async (check, { fixtures }) => {
    const { record, rest, events } = await fixtures.partlySuppressed();
    check.equal("status", record.status, "delivered");
    const about = events.filter(({ recipient }) => recipient === rest).map(({ event_type }) => event_type);
    check.equal("the events of the other recipient", about, ["Delivery"]);
  },
  "4.1-09": async (check, { fixtures }) => {
    const { first, second } = await fixtures.repeatedSend();
    check.status("the first request", first, 202);
    check.status("the repeated request", second, 202);
    check.equal("the answer to the repeated request", second.body, { ...first.body, idempotent: true });
  },
  "4.1-10": async (check, { fixtures, admin }) => {
    const { first, mail } = await fixtures.repeatedSend();
    const { body } = await admin.status("test", first.body?.id);
    check.equal("the recipients of the only send", body?.to_addresses, mail.to);
    const eventsOfRecipient = async () =>
      (await listAll(admin, "/api/v1/events")).filter(({ recipient }) => recipient === mail.to[0]);
    await until(eventsOfRecipient, (found) => found.length > 0);
    // The sandbox would deliver a second mail within a second.
    await pause(1500);
    check.equal(
      "the sends that reached this recipient",
      (await eventsOfRecipient()).map(({ email_id }) => email_id),
      [first.body?.id],
    );
  },
  "4.1-11": async (check, { fixtures }) => {
    check.error("the idempotency key with another payload", (await fixtures.repeatedSend()).third, 409, "CONFLICT");
  },
  "4.1-12": async (check, context) => {
    const mail = testMail(context, "delivered");
    const [one, other] = [await context.admin.send("test", mail), await context.admin.send("test", mail)];
    check.uuid("the generated key", one.body?.idempotency_key);
    check.equal("idempotent of both sends", [one.body?.idempotent, other.body?.idempotent], [false, false]);
    check.holds("the sends have different ids", one.body?.id !== other.body?.id, one.body);
    check.holds("the sends have different keys", one.body?.idempotency_key !== other.body?.idempotency_key, one.body);
  },
  "4.1-13": async (check, { fixtures }) => {
    const refused = (await fixtures.limits()).burst.find(({ status }) => status !== 202);
    check.holds("the API refused one of four requests", refused !== undefined);
    if (refused !== undefined) check.error("the refused request", refused, 429, "RATE_LIMIT_EXCEEDED");
  },
  "4.1-14": async (check, context) => {
    const key = `header-${context.recipient("key")}`;
    const headers = { "x-api-key": await context.admin.keyOf.test(), "idempotency-key": key };
    const mail = testMail(context, "delivered");
    const [one, other] = [
      await context.admin.send("test", mail, headers),
      await context.admin.send("test", mail, headers),
    ];
    check.equal("the key", one.body?.idempotency_key, key);
    check.equal("the repeated request", other.body, { ...one.body, idempotent: true });
  },
  "4.1-15": async (check, context) => {
    const answer = await context.admin.send("test", { ...testMail(context, "delivered"), template: "receipt" });
    check.error("a send with an unknown field", answer, 422, "VALIDATION_ERROR");
    check.holds("the error names the field", answer.text.includes("template"), answer.text);
  },

  "4.2-01": async (check, { fixtures, admin }) => {
    for (const fixture of [fixtures.delivered, fixtures.bounced]) {
      const { id } = (await fixture()).accepted;
      check.equal("id", (await admin.status("test", id)).body?.id, id);
      check.equal("id read with a JWT", (await admin.asUser("GET", `/api/v1/send/${id}/status`)).body?.id, id);
    }
  },
  "4.2-02": async (check, { fixtures }) => {
    check.fields("a status record", (await fixtures.delivered()).record, recordFields);
    check.fields("the record of a failed send", (await fixtures.rejected()).record, recordFields);
  },
  "4.2-03": async (check, { admin, other, fixtures }) => {
    check.error("an unknown id", await admin.status("test", unknownId), 404, "NOT_FOUND");
    const { id } = (await fixtures.delivered()).accepted;
    check.error("a send of another account", await other().status("test", id), 404, "NOT_FOUND");
  },
};
