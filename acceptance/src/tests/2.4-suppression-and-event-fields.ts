import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { eventTypes } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";

export const suppressionFieldTests: Tests = {
  "2.4-01": async (check, { fixtures }) => check.uuid("id", (await fixtures.bounced()).entry?.id),
  "2.4-02": async (check, { fixtures }) => {
    const { entry, address } = await fixtures.bounced();
    check.equal("email", entry?.email, address);
  },
  "2.4-03": async (check, { fixtures }) => {
    check.equal("reason", (await fixtures.bounced()).entry?.reason, "hard_bounce");
    check.equal("reason", (await fixtures.complained()).entry?.reason, "complaint");
  },
  "2.4-04": async (check, { fixtures }) =>
    check.timestamp("suppressed_at", (await fixtures.bounced()).entry?.suppressed_at),
};

export const eventFieldTests: Tests = {
  "2.5-01": async (check, context) => {
    const events = await eventsOfEachType(context);
    for (const { id } of events) check.uuid("id", id);
    check.equal("the number of different ids", new Set(events.map(({ id }) => id)).size, events.length);
  },
  "2.5-02": async (check, { fixtures }) => {
    const { accepted, events } = await fixtures.bounced();
    check.equal(
      "email_id",
      events.map(({ email_id }) => email_id),
      [accepted.id],
    );
  },
  "2.5-03": async (check, context) => {
    const types = new Set((await eventsOfEachType(context)).map(({ event_type }) => event_type));
    check.sameSet("the types of the events", [...types], eventTypes);
  },
  "2.5-04": async (check, { fixtures }) => {
    const { events, record } = await fixtures.bounced();
    check.timestamp("event_timestamp", events[0]?.event_timestamp);
    const isAfter = Date.parse(events[0]?.event_timestamp) >= Date.parse(record.queued_at);
    check.holds("the event is not before the send", isAfter, events[0]);
  },
  "2.5-05": async (check, { fixtures }) => {
    const { events, address } = await fixtures.bounced();
    check.equal("recipient", events[0]?.recipient, address);
  },
  "2.5-06": async (check, context) => {
    check.equal("bounce_type", bounceOf((await context.fixtures.bounced()).events)?.bounce_type, "Permanent");
    check.equal("bounce_type", bounceOf((await context.fixtures.softBounced()).events)?.bounce_type, "Transient");
    await checkOnlyOn(check, context, "bounce_type", "Bounce");
  },
  "2.5-07": async (check, context) => {
    check.text("bounce_subtype", bounceOf((await context.fixtures.bounced()).events)?.bounce_subtype);
    await checkOnlyOn(check, context, "bounce_subtype", "Bounce");
  },
  "2.5-08": async (check, context) => {
    const { events } = await context.fixtures.complained();
    check.equal("complaint_type", events.find(({ event_type }) => event_type === "Complaint")?.complaint_type, "abuse");
    await checkOnlyOn(check, context, "complaint_type", "Complaint");
  },
};

type Event = Answer["body"];

async function eventsOfEachType({ fixtures }: TestContext): Promise<Event[]> {
  const all = [
    fixtures.delivered,
    fixtures.bounced,
    fixtures.softBounced,
    fixtures.complained,
    fixtures.partlySuppressed,
  ];
  return (await Promise.all(all.map((fixture) => fixture()))).flatMap(({ events }) => events);
}

function bounceOf(events: Event[]): Event {
  return events.find(({ event_type }) => event_type === "Bounce");
}

async function checkOnlyOn(check: Check, context: TestContext, field: string, type: string): Promise<void> {
  const others = (await eventsOfEachType(context)).filter(({ event_type }) => event_type !== type);
  check.holds("there are events of other types", others.length > 0);
  for (const event of others)
    check.holds(`${field} is not on ${event.event_type}`, !Object.hasOwn(event, field), event);
}
