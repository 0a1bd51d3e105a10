import { cellsOf, entriesOf, readExport } from "../read-export.ts";
import type { TestContext, Tests } from "../suite.ts";

export const exportTests: Tests = {
  "10.8-01": async (check, context) => {
    await context.fixtures.delivered(); // Without the tag.
    const { ids, query } = await ofTag(context);
    const answer = await readExport(context.admin, "sends", query);
    check.status("the export", answer, 200);
    check.equal("its type", answer.headers.get("content-type"), "application/x-ndjson");
    const entries = entriesOf(answer);
    check.equal("the sends", idsOf(entries), ids.toReversed());
    const list = await context.admin.asUser("GET", "/api/v1/sends", { query });
    check.equal("the records", entries, list.body?.data?.sends);
  },
  "10.8-02": async (check, context) => {
    const { query } = await ofTag(context);
    const answer = await readExport(context.admin, "sends", { ...query, format: "csv" });
    check.matches("its type", answer.headers.get("content-type"), /^text\/csv\b/);
    check.equal("the subjects", cellsOf(answer, "subject"), ["'=2+2", "'=1+1"]);
  },
  "10.8-03": async (check, context) => {
    const { query } = await ofSend(context);
    const answer = await readExport(context.admin, "events", query);
    check.status("the export", answer, 200);
    check.equal("its type", answer.headers.get("content-type"), "application/x-ndjson");
    const list = await context.admin.asUser("GET", "/api/v1/events", { query });
    const events: { event_type: string }[] = entriesOf(answer);
    check.equal(
      "the types of the events",
      events.map(({ event_type }) => event_type),
      ["Delivery"],
    );
    check.equal("the events", events, list.body?.data?.events);
  },
  "10.8-04": async (check, context) => {
    const { query, tag } = await ofSend(context);
    const answer = await readExport(context.admin, "events", { ...query, format: "csv" });
    check.matches("its type", answer.headers.get("content-type"), /^text\/csv\b/);
    check.equal("the tags", cellsOf(answer, "tags"), [`'${tag}`]);
  },
  "10.8-05": async (check, context) => {
    const { ids, query } = await ofTag(context);
    const sends = await readExport(context.admin, "sends", { ...query, before: ids[1] ?? "" });
    check.equal("the sends after the first line", idsOf(entriesOf(sends)), ids.slice(0, 1));
    const { query: filter } = await ofSend(context);
    const [line] = entriesOf(await readExport(context.admin, "events", filter));
    const rest = await readExport(context.admin, "events", { ...filter, before: String(line?.id) });
    check.status("the rest of the events", rest, 200);
    check.equal("the events after the only line", entriesOf(rest), []);
  },
  "10.8-06": async (check, context) => {
    const headers = await context.fixtures.keyWith.send();
    for (const list of ["sends", "events"] as const) {
      const answer = await context.request("GET", `/api/v1/${list}/export`, { headers });
      check.error(`an export of ${list} by a key with the scope send only`, answer, 401, "UNAUTHORIZED");
      const unknown = await readExport(context.admin, list, { format: "xml" });
      check.error(`an export of ${list} as XML`, unknown, 422, "VALIDATION_ERROR");
    }
  },
};

async function ofTag({ fixtures }: TestContext) {
  const { ids, tag } = await fixtures.taggedSends();
  return { ids, query: { mode: "test", tag } };
}

/** Each of the two sends has one event. */
async function ofSend({ fixtures }: TestContext) {
  const { ids, tag } = await fixtures.taggedSends();
  return { tag, query: { mode: "test", email_id: ids[0] ?? "" } };
}

function idsOf(entries: { id: string }[]): string[] {
  return entries.map(({ id }) => id);
}
