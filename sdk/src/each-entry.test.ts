import { expect, test } from "vitest";
import { refuse, respond, startScriptedServer } from "../test/scripted-server.ts";
import { Postern, PosternError } from "./postern.ts";

const event = (id: string) => ({ id, email_id: "s", event_type: "Delivery", recipient: "a@b.test" });
const events = (ids: string[], pagination: object) =>
  respond(200, { success: true, data: { events: ids.map(event), pagination } });

async function aConsumer(...steps: Parameters<typeof startScriptedServer>) {
  const { url, requests } = await startScriptedServer(...steps);
  return { postern: new Postern({ baseUrl: url, accessToken: "t" }), requests };
}

async function all<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

test("the iterator starts with a numbered page and follows the cursor to the end", async () => {
  const { postern, requests } = await aConsumer(
    events(["5", "4"], { page: 1, limit: 2, total: 5, total_pages: 3 }),
    events(["3", "2"], { limit: 2, next_before: "2" }),
    events([], { limit: 2, next_before: "1-cursor" }),
    events(["1"], { limit: 2, next_before: null }),
  );
  const ids: string[] = [];
  for await (const { id } of postern.events.each({ type: "Delivery", limit: 2 })) ids.push(id);
  expect(ids).toEqual(["5", "4", "3", "2", "1"]);
  expect(requests.map(({ path }) => path.split("?")[1])).toEqual([
    "limit=2&type=Delivery",
    "limit=2&type=Delivery&before=4",
    "limit=2&type=Delivery&before=2",
    "limit=2&type=Delivery&before=1-cursor",
  ]);
});

test("a list of one page or none needs one request, with 100 entries per page", async () => {
  for (const pagination of [
    { page: 1, limit: 100, total: 0, total_pages: 0 },
    { page: 1, limit: 100, total: 1, total_pages: 1 },
  ]) {
    const ids = pagination.total === 0 ? [] : ["1"];
    const { postern, requests } = await aConsumer(events(ids, pagination));
    expect(await all(postern.events.each())).toHaveLength(pagination.total);
    expect(requests.map(({ path }) => path)).toEqual(["/api/v1/events?limit=100"]);
  }
});

test("suppressions and sends have the same iterator", async () => {
  const pagination = { limit: 100, next_before: null };
  const { postern, requests } = await aConsumer(
    respond(200, { success: true, data: [{ id: "1" }], pagination }),
    respond(200, { success: true, data: { sends: [{ id: "2" }], pagination } }),
  );
  expect(await all(postern.suppressions.each({ mode: "test" }))).toEqual([{ id: "1" }]);
  expect(await all(postern.sends.each({ status: "bounced" }))).toEqual([{ id: "2" }]);
  expect(requests.map(({ path }) => path)).toEqual([
    "/api/v1/suppression?limit=100&mode=test",
    "/api/v1/sends?limit=100&status=bounced",
  ]);
});

test("a loop that stops early requests no further page", async () => {
  const { postern, requests } = await aConsumer(events(["2", "1"], { limit: 2, next_before: "1" }));
  for await (const { id } of postern.events.each()) if (id === "2") break;
  expect(requests).toHaveLength(1);
});

test("the iterator throws when a page cannot be read", async () => {
  const { postern } = await aConsumer(events(["2"], { limit: 1, next_before: "2" }), refuse(401, "UNAUTHORIZED"));
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { id } of postern.events.each()) seen.push(id);
  })();
  await expect(reading).rejects.toThrow(PosternError);
  expect(seen).toEqual(["2"]);
});
