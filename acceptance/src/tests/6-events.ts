import { eventFields, replyFields } from "../fields.ts";
import type { Tests } from "../suite.ts";

export const eventTests: Tests = {
  "6-01": async (check, { fixtures }) => {
    const { payload, accepted, events } = await fixtures.delivered();
    check.equal("the number of events for three recipients", events.length, 3);
    check.holds(
      "one event has the recipient",
      events.some(({ recipient }) => recipient === payload.to[0]),
      events,
    );
    for (const event of events) check.equal("email_id", event.email_id, accepted.id);
  },
  "6-02": async (check, { request, admin }) => {
    check.status("reading events with a JWT", await admin.asUser("GET", "/api/v1/events"), 200);
    check.error("the events without a JWT", await request("GET", "/api/v1/events"), 401, "UNAUTHORIZED");
  },
  "6-03": async (check, { fixtures }) => {
    const { record, events } = await fixtures.delivered();
    check.equal("status", record.status, "delivered");
    for (const event of events) {
      check.equal("type", event.event_type, "Delivery");
      check.fields("the event", event, eventFields, replyFields);
    }
  },
  "6-04": async (check, { fixtures }) => {
    const { record, events, entry, address } = await fixtures.bounced();
    check.equal("status", record.status, "bounced");
    check.equal("bounce_type", events[0]?.bounce_type, "Permanent");
    check.fields("the event", events[0], [...eventFields, "bounce_type", "bounce_subtype"], replyFields);
    check.equal("the suppressed address", entry?.email, address);
  },
  "6-05": async (check, { fixtures, admin, recipient }) => {
    const { record, events, payload } = await fixtures.softBounced();
    check.equal("status", record.status, "bounced");
    check.equal("bounce_type", events[0]?.bounce_type, "Transient");
    const mail = { ...payload, to: [...payload.to, recipient("delivered")] };
    const { body } = await admin.send("test", mail);
    check.holds("a later send does not remove the recipient", !Object.hasOwn(body, "suppressed_recipients"), body);
  },
  "6-06": async (check, { fixtures }) => {
    const { record, events, entry, address } = await fixtures.complained();
    check.equal("status", record.status, "complained");
    const complaint = events.find(({ event_type }) => event_type === "Complaint");
    check.fields("the event", complaint, [...eventFields, "complaint_type"]);
    check.equal("the suppressed address", entry?.email, address);
  },
  "6-07": async (check, { fixtures }) => {
    const { events, addresses } = await fixtures.fullySuppressed();
    const found = events.filter(({ event_type }) => event_type === "Suppression");
    check.sameSet(
      "the recipients of the events",
      found.map(({ recipient }) => recipient),
      addresses,
    );
  },
  "6-08": async (check, { fixtures }) => {
    const { events, address } = { ...(await fixtures.partlySuppressed()), address: (await fixtures.bounced()).address };
    const event = events.find(({ recipient }) => recipient === address);
    check.fields("the event", event, [...eventFields, "suppression_reason", "suppressed_at"]);
    check.equal("suppression_reason", event?.suppression_reason, "hard_bounce");
    check.timestamp("suppressed_at", event?.suppressed_at);
  },
};
