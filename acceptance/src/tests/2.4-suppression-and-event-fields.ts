import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { eventTypes } from "../fields.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const suppressionFieldTests: Tests = {
  "2.4-01": async (check, { scenes }) => check.uuid("id", (await scenes.bounced()).entry?.id),
  "2.4-02": async (check, { scenes }) => {
    const { entry, address } = await scenes.bounced();
    check.equal("email", entry?.email, address);
  },
  "2.4-03": async (check, { scenes }) => {
    check.equal("reason", (await scenes.bounced()).entry?.reason, "hard_bounce");
    check.equal("reason", (await scenes.complained()).entry?.reason, "complaint");
  },
  "2.4-04": async (check, { scenes }) =>
    check.timestamp("suppressed_at", (await scenes.bounced()).entry?.suppressed_at),
};

export const eventFieldTests: Tests = {
  "2.5-01": async (check, world) => {
    const events = await eachKind(world);
    for (const { id } of events) check.uuid("id", id);
    check.equal("how many different ids", new Set(events.map(({ id }) => id)).size, events.length);
  },
  "2.5-02": async (check, { scenes }) => {
    const { accepted, events } = await scenes.bounced();
    check.equal(
      "email_id",
      events.map(({ email_id }) => email_id),
      [accepted.id],
    );
  },
  "2.5-03": async (check, world) => {
    const types = new Set((await eachKind(world)).map(({ event_type }) => event_type));
    check.sameSet("the types that were seen", [...types], eventTypes);
  },
  "2.5-04": async (check, { scenes }) => {
    const { events, record } = await scenes.bounced();
    check.timestamp("event_timestamp", events[0]?.event_timestamp);
    const isAfter = Date.parse(events[0]?.event_timestamp) >= Date.parse(record.queued_at);
    check.holds("it is not before the send", isAfter, events[0]);
  },
  "2.5-05": async (check, { scenes }) => {
    const { events, address } = await scenes.bounced();
    check.equal("recipient", events[0]?.recipient, address);
  },
  "2.5-06": async (check, world) => {
    check.equal("bounce_type", bounceOf((await world.scenes.bounced()).events)?.bounce_type, "Permanent");
    check.equal("bounce_type", bounceOf((await world.scenes.softBounced()).events)?.bounce_type, "Transient");
    await isOnlyOn(check, world, "bounce_type", "Bounce");
  },
  "2.5-07": async (check, world) => {
    check.text("bounce_subtype", bounceOf((await world.scenes.bounced()).events)?.bounce_subtype);
    await isOnlyOn(check, world, "bounce_subtype", "Bounce");
  },
  "2.5-08": async (check, world) => {
    const { events } = await world.scenes.complained();
    check.equal("complaint_type", events.find(({ event_type }) => event_type === "Complaint")?.complaint_type, "abuse");
    await isOnlyOn(check, world, "complaint_type", "Complaint");
  },
};

type Event = Answer["body"];

async function eachKind({ scenes }: World): Promise<Event[]> {
  const all = [scenes.delivered, scenes.bounced, scenes.softBounced, scenes.complained, scenes.partlySuppressed];
  return (await Promise.all(all.map((scene) => scene()))).flatMap(({ events }) => events);
}

function bounceOf(events: Event[]): Event {
  return events.find(({ event_type }) => event_type === "Bounce");
}

async function isOnlyOn(check: Check, world: World, field: string, type: string): Promise<void> {
  const others = (await eachKind(world)).filter(({ event_type }) => event_type !== type);
  check.holds("there are events of other types", others.length > 0);
  for (const event of others)
    check.holds(`${field} is not on ${event.event_type}`, !Object.hasOwn(event, field), event);
}
