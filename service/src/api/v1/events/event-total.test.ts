import { describe, expect, test } from "vitest";
import { anEvent, manyEvents } from "../../../../test/event-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useEventList } from "../../../../test/use-event-list.ts";
import { foldListChanges } from "../../../db/list-counts.ts";

const { api, aSession, listed } = useEventList();

describe("GET /api/v1/events keeps an exact total", () => {
  test("while concurrent writers insert events and fold the counts", async () => {
    const session = await aSession();
    const { accountId } = session;
    const seen: number[] = [];
    const writers = Array.from({ length: 4 }, async (_, number) => {
      const type = number % 2 === 0 ? "Delivery" : "Bounce";
      for (let n = 0; n < 10; n++) await manyEvents(api.database.db, { accountId, count: 3, type });
    });
    const folders = Array.from({ length: 2 }, async () => {
      for (let n = 0; n < 20; n++) await foldListChanges(api.database.db, 3);
    });
    const reading = (async () => {
      for (let n = 0; n < 15; n++) {
        const list = await listed(session, "?limit=100");
        seen.push(list.pagination.total);
        // The total and the page come from the same snapshot.
        if (list.pagination.total <= 100) expect(list.events).toHaveLength(list.pagination.total);
      }
    })();
    await Promise.all([...writers, ...folders, reading]);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect((await listed(session)).pagination.total).toBe(120);
    while ((await foldListChanges(api.database.db, 1000)) > 0);
    expect((await listed(session)).pagination.total).toBe(120);
    expect((await listed(session, "?type=Bounce")).pagination.total).toBe(60);
    const rows = await change(
      api.database.db,
      "select list, count from list_counts where account_id = $1 order by list",
      [accountId],
    );
    expect(rows).toEqual([
      { list: "Bounce", count: 60 },
      { list: "Delivery", count: 60 },
    ]);
  });

  test("when the same event is inserted twice", async () => {
    const session = await aSession();
    const id = await anEvent(api.database.db, { accountId: session.accountId });
    await change(
      api.database.db,
      `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
       values ($1, $1, $2, 'live', 'Delivery', now(), 'a@b.test')
       on conflict (id) do nothing`,
      [id, session.accountId],
    );
    expect((await listed(session)).pagination.total).toBe(1);
  });
});
