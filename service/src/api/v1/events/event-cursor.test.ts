import { describe, expect, test } from "vitest";
import { anEvent, manyEvents } from "../../../../test/event-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { anOldSendId, type EventList, idsOf, useEventList } from "../../../../test/use-event-list.ts";

const { api, aSession, listed, someEvents } = useEventList();

describe("GET /api/v1/events with a cursor or a filter returns", () => {
  test("the events after before, until next_before is null, without page and total", async () => {
    const session = await aSession();
    const ids = await someEvents(session.accountId, 7);
    const newest = idsOf(await listed(session, "?limit=2"));
    const read = [...newest];
    let before: string | null | undefined = newest.at(-1);
    while (typeof before === "string") {
      const list: EventList = await listed(session, `?limit=2&before=${before}`);
      expect(Object.keys(list.pagination)).toEqual(["limit", "next_before"]);
      read.push(...idsOf(list));
      before = list.pagination.next_before;
    }
    expect(read).toEqual(ids.toReversed());
    expect(before).toBeNull();
  });

  test("the same events for a cursor after newer events arrive", async () => {
    const session = await aSession();
    const ids = await someEvents(session.accountId, 4);
    await anEvent(api.database.db, { accountId: session.accountId });
    expect(idsOf(await listed(session, `?limit=2&before=${ids[2]}`))).toEqual([ids[1], ids[0]]);
  });

  test("the events of one send, of one recipient in any spelling, or of one period", async () => {
    const session = await aSession();
    const { accountId } = session;
    const sendId = anOldSendId();
    await someEvents(accountId, 3);
    const one = await anEvent(api.database.db, {
      accountId,
      sendId,
      type: "Bounce",
      at: "2026-11-16T10:00:00.000Z",
      recipient: "jane@xn--exmple-cua.test",
    });
    const two = await anEvent(api.database.db, { accountId, sendId, at: "2026-11-16T10:00:00.001Z" });
    const found = async (query: string) => idsOf(await listed(session, query));
    expect(await found(`?email_id=${sendId}`)).toEqual([two, one]);
    expect(await found(`?email_id=${sendId}&type=Bounce`)).toEqual([one]);
    expect(await found(`?email_id=${sendId}&before=${two}`)).toEqual([one]);
    expect(await found(`?recipient=${encodeURIComponent("Jane@Exämple.test")}`)).toEqual([one]);
    expect(await found(`?recipient=${encodeURIComponent("jane@xn--exmple-cua.test")}&type=Delivery`)).toEqual([]);
    expect(await found("?since=2026-11-16T10:00:00.000Z&until=2026-11-16T10:00:00.001Z")).toEqual([one]);
    expect(await found("?since=2026-11-16T11:00:00.001%2B01:00")).toEqual([two]);
  });

  test("next_before after searching 1,000 events for a recipient", async () => {
    const session = await aSession();
    const { accountId } = session;
    const rare = await anEvent(api.database.db, { accountId, recipient: "rare@example.test" });
    await change(api.database.db, "select pg_sleep(0.002)");
    const at = "2026-11-01T00:00:00.000Z";
    const old = await anEvent(api.database.db, { accountId, recipient: "rare@example.test", at });
    await manyEvents(api.database.db, { accountId, count: 1_500 });
    const first = await listed(session, "?recipient=rare%40example.test");
    expect(first.events.length).toBeLessThan(2);
    expect(first.pagination.next_before).toEqual(expect.any(String));
    const second = await listed(session, `?recipient=rare%40example.test&before=${first.pagination.next_before}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual([rare, old]);
    expect(second.pagination.next_before).toBeNull();
  });
});
