import { listAll } from "../list-all.ts";
import type { Tests } from "../suite.ts";
import { sender } from "../test-mail.ts";
import { statusOf } from "./2.3-domain-fields.ts";

const order = ["queued", "processing", "sent", "delivered", "bounced", "complained", "failed"];

export const stateTests: Tests = {
  "3-01": async (check, { fixtures }) => {
    check.equal("the status in the 202", (await fixtures.delivered()).accepted.status, "queued");
    const { seen } = await fixtures.throttled();
    check.holds("a read returned the status queued", seen.has("queued"), [...seen.keys()]);
  },
  "3-02": async (check, { fixtures }) => {
    const { seen } = await fixtures.inDoubt();
    check.holds("a read returned the status processing", seen.has("processing"), [...seen.keys()]);
    check.equal("sent_at while processing", seen.get("processing")?.sent_at, null);
  },
  "3-03": async (check, { fixtures }) => {
    const { seen } = await fixtures.sent();
    check.holds("a read returned the status sent", seen.has("sent"), [...seen.keys()]);
  },
  "3-04": async (check, { fixtures }) => check.equal("status", (await fixtures.delivered()).record.status, "delivered"),
  "3-05": async (check, { fixtures }) => check.equal("status", (await fixtures.bounced()).record.status, "bounced"),
  "3-06": async (check, { fixtures }) =>
    check.equal("status", (await fixtures.complained()).record.status, "complained"),
  "3-07": async (check, { fixtures }) =>
    check.equal("status", (await fixtures.fullySuppressed()).record.status, "suppressed"),
  "3-08": async (check, { fixtures }) => {
    const { record } = await fixtures.rejected();
    check.equal("status", record.status, "failed");
    check.text("error_code", record.error_code);
    check.text("error_message", record.error_message);
  },
  "3-09": async (check, { fixtures }) => {
    for (const fixture of [fixtures.delivered, fixtures.bounced, fixtures.inDoubt, fixtures.sent]) {
      const seen = [...(await fixture()).seen.keys()];
      check.equal(
        "the order of the statuses",
        seen,
        seen.toSorted((one, next) => order.indexOf(one) - order.indexOf(next)),
      );
    }
  },
  "3-10": async (check, { fixtures }) => {
    const { accepted, seen, payload } = await fixtures.throttled();
    const queued = seen.get("queued");
    check.equal("the record of the accepted send", queued?.id, accepted.id);
    check.equal("queued_at", queued?.queued_at, accepted.queued_at);
    check.equal("the sender in the record", [queued?.from_address, payload.from], [sender, sender]);
  },
  "3-11": async (check, { fixtures }) => {
    const { accepted, seen } = await fixtures.inDoubt();
    check.equal("the status at acceptance", accepted.status, "queued");
    check.holds("the send was processing", seen.has("processing"), [...seen.keys()]);
  },
  "3-12": async (check, { fixtures }) => {
    const sent = (await fixtures.sent()).seen.get("sent");
    check.timestamp("sent_at while sent", sent?.sent_at);
    check.text("provider_message_id while sent", sent?.provider_message_id);
  },
  "3-13": async (check, { fixtures }) => {
    const { record, events, payload } = await fixtures.delivered();
    check.equal("status", record.status, "delivered");
    const event = events.find(({ recipient }) => recipient === payload.to[0]);
    check.equal("the event", event?.event_type, "Delivery");
  },
  "3-14": async (check, { fixtures }) => {
    for (const fixture of [fixtures.bounced, fixtures.softBounced]) {
      const { record, events } = await fixture();
      check.equal("status", record.status, "bounced");
      check.equal(
        "the types of the events",
        events.map(({ event_type }) => event_type),
        ["Bounce"],
      );
    }
  },
  "3-15": async (check, { fixtures, admin }) => {
    check.equal("the reason after a permanent bounce", (await fixtures.bounced()).entry?.reason, "hard_bounce");
    const { payload } = await fixtures.softBounced();
    const entries = await listAll(admin, "/api/v1/suppression");
    check.holds(
      "a transient bounce does not suppress the recipient",
      entries.every(({ email }) => email !== payload.to[0]),
    );
  },
  "3-16": async (check, { fixtures }) => {
    const { record, events, entry } = await fixtures.complained();
    check.equal("status", record.status, "complained");
    check.holds(
      "the event is recorded",
      events.some(({ event_type }) => event_type === "Complaint"),
      events,
    );
    check.equal("the reason", entry?.reason, "complaint");
  },
  "3-17": async (check, { fixtures }) => {
    const { record, events, addresses } = await fixtures.fullySuppressed();
    check.equal("status", record.status, "suppressed");
    check.equal(
      "the types of the events",
      events.map(({ event_type }) => event_type),
      ["Suppression", "Suppression"],
    );
    check.sameSet(
      "the recipients of the events",
      events.map(({ recipient }) => recipient),
      addresses,
    );
  },
  "3-18": async (check, { fixtures }) => {
    const { accepted, addresses } = await fixtures.fullySuppressed();
    check.equal("the status in the 202", accepted.status, "suppressed");
    check.sameSet("suppressed_recipients", accepted.suppressed_recipients, addresses);
  },
  "3-19": async (check, { fixtures }) => {
    const { seen, record } = await fixtures.rejected();
    check.holds("the send never had the status sent", !seen.has("sent"), [...seen.keys()]);
    check.equal("sent_at", record.sent_at, null);
  },
  "3-20": async (check, { fixtures }) => {
    check.equal("the status of a new domain", (await fixtures.domain()).got.body?.verification_status, "Pending");
  },
  "3-21": async (check, { admin, fixtures, verifiedDomain, failedDomain }) => {
    const { name } = await fixtures.domain();
    const list = await admin.asUser("GET", "/api/v1/domains");
    const found = [name, verifiedDomain(), failedDomain()].map((domain) => statusOf(list, domain));
    check.equal("the status of three domains", found, ["Pending", "Success", "Failed"]);
  },
  "3-22": async (check, { admin, fixtures }) => {
    const { path } = await fixtures.domain();
    await fixtures.limits();
    const later = await admin.asUser("GET", path);
    check.equal("the status after a minute without records", later.body?.verification_status, "Pending");
  },
};
