import { setTimeout as pause } from "node:timers/promises";
import { acceptanceFields, recordFields, unknownId } from "../fields.ts";
import { listAll } from "../list-all.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";
import { until } from "../until.ts";

export const sendTests: Tests = {
  "4.1-01": async (check, world) => {
    const payload = {
      ...aMail(world, "delivered"),
      html: "<p>Hello.</p>",
      cc: [world.recipient("delivered")],
      bcc: [world.recipient("delivered")],
      reply_to: "answers@sandbox.test",
      idempotency_key: `all-${world.recipient("key")}`,
    };
    const answer = await world.admin.send("test", payload);
    check.status("a send with every field", answer, 202);
    const { body } = await world.admin.status("test", answer.body?.id);
    check.equal("its recipients", body?.to_addresses, [...payload.to, ...payload.cc, ...payload.bcc]);
    check.equal("its key", answer.body?.idempotency_key, payload.idempotency_key);
  },
  "4.1-02": async (check, { scenes }) => {
    check.fields("an acceptance", (await scenes.delivered()).accepted, acceptanceFields);
    const filtered = [...acceptanceFields, "suppressed_recipients"];
    check.fields("an acceptance with filtered recipients", (await scenes.partlySuppressed()).accepted, filtered);
  },
  "4.1-03": async (check, world) => {
    const mail = aMail(world, "delivered");
    const unknown = await world.admin.send("test", { ...mail, from: "a@not-registered.example.com" });
    check.error("a send from an unknown domain", unknown, 400, "DOMAIN_NOT_VERIFIED");
    const { name } = await world.scenes.domain();
    const pending = await world.admin.send("test", { ...mail, from: `a@${name}` });
    check.error("a send from a pending domain", pending, 400, "DOMAIN_NOT_VERIFIED");
  },
  "4.1-04": async (check, world) => {
    for (const field of ["from", "to", "subject"]) {
      const answer = await world.admin.send("test", { ...aMail(world, "delivered"), [field]: undefined });
      check.error(`a send without ${field}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.1-05": async (check, world) => {
    const answer = await world.admin.send("test", { ...aMail(world, "delivered"), text: undefined });
    check.error("a send without html and text", answer, 422, "VALIDATION_ERROR");
  },
  "4.1-06": async (check, world) => {
    const bad = "not-an-address";
    const fields = [{ from: bad }, { to: [bad] }, { cc: [bad] }, { bcc: [bad] }, { reply_to: bad }];
    for (const field of fields) {
      const answer = await world.admin.send("test", { ...aMail(world, "delivered"), ...field });
      check.error(`a send with ${JSON.stringify(field)}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.1-07": async (check, { scenes }) => {
    const { accepted, suppressed, events } = await scenes.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const about = events.filter(({ recipient }) => recipient === suppressed).map(({ event_type }) => event_type);
    check.equal("what happened to the suppressed one", about, ["Suppression"]);
  },
  "4.1-08": async (check, { scenes }) => {
    const { record, rest, events } = await scenes.partlySuppressed();
    check.equal("status", record.status, "delivered");
    const about = events.filter(({ recipient }) => recipient === rest).map(({ event_type }) => event_type);
    check.equal("what happened to the other one", about, ["Delivery"]);
  },
  "4.1-09": async (check, { scenes }) => {
    const { first, second } = await scenes.repeated();
    check.status("the first", first, 202);
    check.status("the repeat", second, 202);
    check.equal("the repeated answer", second.body, { ...first.body, idempotent: true });
  },
  "4.1-10": async (check, { scenes, admin }) => {
    const { first, mail } = await scenes.repeated();
    const { body } = await admin.status("test", first.body?.id);
    check.equal("the one send", body?.to_addresses, mail.to);
    const toThem = async () =>
      (await listAll(admin, "/api/v1/events")).filter(({ recipient }) => recipient === mail.to[0]);
    await until(toThem, (found) => found.length > 0);
    // A second mail would be delivered within a second as well.
    await pause(1500);
    check.equal(
      "the sends that reached this recipient",
      (await toThem()).map(({ email_id }) => email_id),
      [first.body?.id],
    );
  },
  "4.1-11": async (check, { scenes }) => {
    check.error("the key with another payload", (await scenes.repeated()).third, 409, "CONFLICT");
  },
  "4.1-12": async (check, world) => {
    const mail = aMail(world, "delivered");
    const [one, other] = [await world.admin.send("test", mail), await world.admin.send("test", mail)];
    check.uuid("the generated key", one.body?.idempotency_key);
    check.equal("idempotent of both", [one.body?.idempotent, other.body?.idempotent], [false, false]);
    check.holds("they are two sends", one.body?.id !== other.body?.id, one.body);
    check.holds("with two keys", one.body?.idempotency_key !== other.body?.idempotency_key, one.body);
  },
  "4.1-13": async (check, { scenes }) => {
    const refused = (await scenes.limits()).burst.find(({ status }) => status !== 202);
    check.holds("one of four was refused", refused !== undefined);
    if (refused !== undefined) check.error("the fourth", refused, 429, "RATE_LIMIT_EXCEEDED");
  },
  "4.1-14": async (check, world) => {
    const key = `header-${world.recipient("key")}`;
    const headers = { "x-api-key": await world.admin.keyOf.test(), "idempotency-key": key };
    const mail = aMail(world, "delivered");
    const [one, other] = [await world.admin.send("test", mail, headers), await world.admin.send("test", mail, headers)];
    check.equal("the key", one.body?.idempotency_key, key);
    check.equal("the repeat", other.body, { ...one.body, idempotent: true });
  },
  "4.1-15": async (check, world) => {
    const answer = await world.admin.send("test", { ...aMail(world, "delivered"), attachments: [] });
    check.error("a send with an unknown field", answer, 422, "VALIDATION_ERROR");
    check.holds("the field is named", answer.text.includes("attachments"), answer.text);
  },

  "4.2-01": async (check, { scenes, admin }) => {
    for (const scene of [scenes.delivered, scenes.bounced]) {
      const { id } = (await scene()).accepted;
      check.equal("id", (await admin.status("test", id)).body?.id, id);
    }
  },
  "4.2-02": async (check, { scenes }) => {
    check.fields("a status record", (await scenes.delivered()).record, recordFields);
    check.fields("the record of a failed send", (await scenes.rejected()).record, recordFields);
  },
  "4.2-03": async (check, { admin, other, scenes }) => {
    check.error("an id that is no send", await admin.status("test", unknownId), 404, "NOT_FOUND");
    const { id } = (await scenes.delivered()).accepted;
    check.error("a send of another account", await other().status("test", id), 404, "NOT_FOUND");
  },
};
