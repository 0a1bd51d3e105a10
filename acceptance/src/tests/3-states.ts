import { listAll } from "../list-all.ts";
import { sender } from "../scenes.ts";
import type { Tests } from "../suite.ts";
import { statusOf } from "./2.3-domain-fields.ts";

const order = ["queued", "processing", "sent", "delivered", "bounced", "complained", "failed"];

export const stateTests: Tests = {
  "3-01": async (check, { scenes }) => {
    check.equal("the status in the 202", (await scenes.delivered()).accepted.status, "queued");
    const { seen } = await scenes.throttled();
    check.holds("it was read as queued", seen.has("queued"), [...seen.keys()]);
  },
  "3-02": async (check, { scenes }) => {
    const { seen } = await scenes.inDoubt();
    check.holds("it was read as processing", seen.has("processing"), [...seen.keys()]);
    check.equal("sent_at meanwhile", seen.get("processing")?.sent_at, null);
  },
  "3-03": async (check, { scenes }) => {
    const { seen } = await scenes.submitted();
    check.holds("it was read as sent", seen.has("sent"), [...seen.keys()]);
  },
  "3-04": async (check, { scenes }) => check.equal("status", (await scenes.delivered()).record.status, "delivered"),
  "3-05": async (check, { scenes }) => check.equal("status", (await scenes.bounced()).record.status, "bounced"),
  "3-06": async (check, { scenes }) => check.equal("status", (await scenes.complained()).record.status, "complained"),
  "3-07": async (check, { scenes }) =>
    check.equal("status", (await scenes.fullySuppressed()).record.status, "suppressed"),
  "3-08": async (check, { scenes }) => {
    const { record } = await scenes.rejected();
    check.equal("status", record.status, "failed");
    check.text("error_code", record.error_code);
    check.text("error_message", record.error_message);
  },
  "3-09": async (check, { scenes }) => {
    for (const scene of [scenes.delivered, scenes.bounced, scenes.inDoubt, scenes.submitted]) {
      const seen = [...(await scene()).seen.keys()];
      check.equal(
        "the order that was seen",
        seen,
        seen.toSorted((one, next) => order.indexOf(one) - order.indexOf(next)),
      );
    }
  },
  "3-10": async (check, { scenes }) => {
    const { accepted, seen, payload } = await scenes.throttled();
    const queued = seen.get("queued");
    check.equal("the record of the accepted send", queued?.id, accepted.id);
    check.equal("queued_at", queued?.queued_at, accepted.queued_at);
    check.equal("the sender in the record", [queued?.from_address, payload.from], [sender, sender]);
  },
  "3-11": async (check, { scenes }) => {
    const { accepted, seen } = await scenes.inDoubt();
    check.equal("the status at acceptance", accepted.status, "queued");
    check.holds("a worker made it processing", seen.has("processing"), [...seen.keys()]);
  },
  "3-12": async (check, { scenes }) => {
    const sent = (await scenes.submitted()).seen.get("sent");
    check.timestamp("sent_at while sent", sent?.sent_at);
    check.text("provider_message_id while sent", sent?.provider_message_id);
  },
  "3-13": async (check, { scenes }) => {
    const { record, events, payload } = await scenes.delivered();
    check.equal("status", record.status, "delivered");
    const event = events.find(({ recipient }) => recipient === payload.to[0]);
    check.equal("the event", event?.event_type, "Delivery");
  },
  "3-14": async (check, { scenes }) => {
    for (const scene of [scenes.bounced, scenes.softBounced]) {
      const { record, events } = await scene();
      check.equal("status", record.status, "bounced");
      check.equal(
        "its events",
        events.map(({ event_type }) => event_type),
        ["Bounce"],
      );
    }
  },
  "3-15": async (check, { scenes, admin }) => {
    check.equal("the reason after a permanent bounce", (await scenes.bounced()).entry?.reason, "hard_bounce");
    const { payload } = await scenes.softBounced();
    const entries = await listAll(admin, "/api/v1/suppression");
    check.holds(
      "a transient bounce suppresses nobody",
      entries.every(({ email }) => email !== payload.to[0]),
    );
  },
  "3-16": async (check, { scenes }) => {
    const { record, events, entry } = await scenes.complained();
    check.equal("status", record.status, "complained");
    check.holds(
      "the event is recorded",
      events.some(({ event_type }) => event_type === "Complaint"),
      events,
    );
    check.equal("the reason", entry?.reason, "complaint");
  },
  "3-17": async (check, { scenes }) => {
    const { record, events, addresses } = await scenes.fullySuppressed();
    check.equal("status", record.status, "suppressed");
    check.equal(
      "the types of its events",
      events.map(({ event_type }) => event_type),
      ["Suppression", "Suppression"],
    );
    check.sameSet(
      "whom they are about",
      events.map(({ recipient }) => recipient),
      addresses,
    );
  },
  "3-18": async (check, { scenes }) => {
    const { accepted, addresses } = await scenes.fullySuppressed();
    check.equal("the status in the 202", accepted.status, "suppressed");
    check.sameSet("suppressed_recipients", accepted.suppressed_recipients, addresses);
  },
  "3-19": async (check, { scenes }) => {
    const { seen, record } = await scenes.rejected();
    check.holds("it was never sent", !seen.has("sent"), [...seen.keys()]);
    check.equal("sent_at", record.sent_at, null);
  },
  "3-20": async (check, { scenes }) => {
    check.equal("the status of a new domain", (await scenes.domain()).got.body?.verification_status, "Pending");
  },
  "3-21": async (check, { admin, scenes, verifiedDomain, failedDomain }) => {
    const { name } = await scenes.domain();
    const list = await admin.asUser("GET", "/api/v1/domains");
    const found = [name, verifiedDomain(), failedDomain()].map((domain) => statusOf(list, domain));
    check.equal("the status of three domains", found, ["Pending", "Success", "Failed"]);
  },
  "3-22": async (check, { admin, scenes }) => {
    const { path } = await scenes.domain();
    await scenes.limits();
    const later = await admin.asUser("GET", path);
    check.equal("the status after a minute without records", later.body?.verification_status, "Pending");
  },
};
