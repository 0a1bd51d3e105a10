import { eventTypes, paginationFields } from "../fields.ts";
import { listAll } from "../list-all.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

interface Event {
  event_type: string;
  event_timestamp: string;
}

export const eventListTests: Tests = {
  "4.12-01": async (check, world) => {
    await world.scenes.bounced();
    const { body } = await list(world, { limit: 100 });
    // A recipient that is filtered late has its event at the time of the send; all others stand at their own time.
    const events: Event[] = body.data.events.filter(({ event_type }: Event) => event_type !== "Suppression");
    const times = events.map(({ event_timestamp }) => Date.parse(event_timestamp));
    check.holds("there are events of different times", new Set(times).size > 1);
    check.equal(
      "their times in the order of the list",
      times,
      times.toSorted((one, next) => next - one),
    );
  },
  "4.12-02": async (check, world) => {
    await Promise.all([world.scenes.fullySuppressed(), world.scenes.complained(), world.scenes.delivered()]);
    for (const type of eventTypes) {
      const { body } = await list(world, { type, limit: 100 });
      const types = body?.data?.events?.map(({ event_type }: { event_type: string }) => event_type);
      check.equal(`the types with type=${type}`, [...new Set(types)], [type]);
    }
    const all = new Set((await listAll(world.admin, "/api/v1/events")).map(({ event_type }) => event_type));
    check.sameSet("the types without it", [...all], eventTypes);
    check.error("a type that is none", await list(world, { type: "Open" }), 422, "VALIDATION_ERROR");
  },
  "4.12-03": async (check, world) => {
    const [usual, short, most] = [
      await list(world, {}),
      await list(world, { limit: 7 }),
      await list(world, { limit: 100 }),
    ];
    const lengths = [usual, short].map(({ body }) => body?.data?.events?.length);
    check.equal("how many without limit and with 7", lengths, [50, 7]);
    check.equal(
      "limit as told",
      [usual, short, most].map(({ body }) => body?.data?.pagination?.limit),
      [50, 7, 100],
    );
    check.error("limit 101", await list(world, { limit: 101 }), 422, "VALIDATION_ERROR");
  },
  "4.12-04": async (check, world) => {
    const [first, second] = [await list(world, { limit: 20 }), await list(world, { limit: 20, page: 2 })];
    check.equal("page when left out", first.body?.data?.pagination?.page, 1);
    check.equal("page when given", second.body?.data?.pagination?.page, 2);
    check.equal("the length of the second page", second.body?.data?.events?.length, 20);
    check.error("a page that is no integer", await list(world, { page: "two" }), 422, "VALIDATION_ERROR");
  },
  "4.12-05": async (check, world) => {
    const answer = await list(world, { limit: 7 });
    check.status("the list", answer, 200);
    check.fields("the answer", answer.body, ["success", "data"]);
    check.equal("success", answer.body.success, true);
    check.fields("data", answer.body.data, ["events", "pagination"]);
    const { events, pagination } = answer.body.data;
    check.holds("events is a list", Array.isArray(events), events);
    check.fields("pagination", pagination, paginationFields);
    for (const field of paginationFields) check.integer(field, pagination[field]);
    check.equal("total_pages", pagination.total_pages, Math.ceil(pagination.total / 7));
  },
  "4.12-06": async (check, { admin, scenes }) => {
    const { events, accepted } = await scenes.bounced();
    const answer = await admin.status("test", events[0]?.email_id);
    check.status("the status of an event's send", answer, 200);
    check.equal("its id", answer.body?.id, accepted.id);
  },
};

async function list({ admin, scenes }: World, query: Record<string, string | number>) {
  await scenes.crowd();
  return admin.asUser("GET", "/api/v1/events", { query: { mode: "test", ...query } });
}
