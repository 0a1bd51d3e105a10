import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import { eventTypes, paginationFields } from "../fields.ts";
import { listAll } from "../list-all.ts";
import type { TestContext, Tests } from "../suite.ts";

export const eventListTests: Tests = {
  "4.12-01": async (check, context) => {
    // A recipient of this send is filtered after other events have happened.
    await context.fixtures.suppressedWhileQueued();
    await context.fixtures.bounced();
    for (const query of [{ limit: 100 }, { limit: 100, mode: "test" }]) checkOrder(check, await list(context, query));
  },
  "4.12-02": async (check, context) => {
    await Promise.all([
      context.fixtures.fullySuppressed(),
      context.fixtures.complained(),
      context.fixtures.delivered(),
    ]);
    for (const type of eventTypes) {
      const { body } = await list(context, { type, limit: 100 });
      const types = body?.data?.events?.map(({ event_type }: { event_type: string }) => event_type);
      check.equal(`the types with type=${type}`, [...new Set(types)], [type]);
    }
    const all = new Set((await listAll(context.admin, "/api/v1/events")).map(({ event_type }) => event_type));
    check.sameSet("the types without a type parameter", [...all], eventTypes);
    check.error("an unknown type", await list(context, { type: "Open" }), 422, "VALIDATION_ERROR");
  },
  "4.12-03": async (check, context) => {
    const [byDefault, short, longest] = [
      await list(context, {}),
      await list(context, { limit: 7 }),
      await list(context, { limit: 100 }),
    ];
    const lengths = [byDefault, short].map(({ body }) => body?.data?.events?.length);
    check.equal("the number of events without limit and with limit 7", lengths, [50, 7]);
    check.equal(
      "limit in the answer",
      [byDefault, short, longest].map(({ body }) => body?.data?.pagination?.limit),
      [50, 7, 100],
    );
    check.error("limit 101", await list(context, { limit: 101 }), 422, "VALIDATION_ERROR");
  },
  "4.12-04": async (check, context) => {
    const [first, second] = [await list(context, { limit: 20 }), await list(context, { limit: 20, page: 2 })];
    check.equal("the default page", first.body?.data?.pagination?.page, 1);
    check.equal("page from the request", second.body?.data?.pagination?.page, 2);
    check.equal("the length of the second page", second.body?.data?.events?.length, 20);
    check.error("a page that is not an integer", await list(context, { page: "two" }), 422, "VALIDATION_ERROR");
  },
  "4.12-05": async (check, context) => {
    const answer = await list(context, { limit: 7 });
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
  "4.12-06": async (check, { admin, fixtures }) => {
    const { events, accepted } = await fixtures.bounced();
    const answer = await admin.status("test", events[0]?.email_id);
    check.status("reading the send of the event", answer, 200);
    check.equal("the id", answer.body?.id, accepted.id);
  },
};

async function list({ admin, fixtures }: TestContext, query: Record<string, string | number>) {
  await fixtures.manySuppressed();
  return admin.asUser("GET", "/api/v1/events", { query });
}

function checkOrder(check: Check, { body }: Answer): void {
  const events: { event_timestamp: string }[] = body.data.events;
  const times = events.map(({ event_timestamp }) => Date.parse(event_timestamp));
  check.holds("there are events of different times", new Set(times).size > 1);
  check.equal(
    "the times in list order",
    times,
    times.toSorted((one, next) => next - one),
  );
}
