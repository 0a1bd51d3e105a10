import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { ageCopies, dropToday, isDropped, weekOfToday } from "../../test/expired-contents.ts";
import { aFrozenMove, sourceCell } from "../../test/move-fixture.ts";
import { aDatabase, inDays, storeEveryHour, value } from "../../test/partitioned-database.ts";
import { aPastSend, daysBefore, keptSince, makePastMonths } from "../../test/past-records.ts";
import { anAttachment, aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Database } from "../db/database.ts";
import { dropOldAttempts } from "../storage/old-attempts.ts";
import { dropOldRecords } from "../storage/old-records.ts";
import { dropOldWebhooks } from "../storage/old-webhooks.ts";
import { openIncomingMove } from "./incoming-move.ts";
import { markReleased } from "./released-move.ts";

/** Each case: the state of an account that moves, without its rows in a queue; and how that ends. */
const cases: [name: string, begin: (db: Database, accountId: string) => Promise<() => Promise<unknown>>][] = [
  [
    "a frozen account",
    async (db, accountId) => {
      const move = await aFrozenMove(db, accountId);
      return () => markReleased(db, move);
    },
  ],
  [
    "a frozen account after a failover",
    async (db, accountId) => {
      const move = await aFrozenMove(db, accountId);
      await change(db, "update outgoing_moves set state = 'unknown'");
      return () => markReleased(db, move);
    },
  ],
  [
    "an account that is copied here",
    async (db) => {
      await change(db, "delete from send_queue");
      const key = { accountId: randomUUIDv7(), moveId: randomUUIDv7(), runId: randomUUIDv7() };
      await openIncomingMove(db, { ...key, ...sourceCell });
      return () => change(db, "update incoming_moves set state = 'undone', ended_at = now()");
    },
  ],
];

describe.for(cases)("%s", ([, begin]) => {
  test("keeps the contents, copies and attachments of its sends until the end of the move", async () => {
    const { db } = await aDatabase(copyTemplate);
    const week = await weekOfToday(db);
    const accountId = await anAccount(db);
    const attachments = [anAttachment(Buffer.from("a note"))];
    const [inWeek, copied] = [
      await aQueuedSend(db, { accountId, attachments }),
      await aQueuedSend(db, { accountId, attachments }),
    ];
    await change(db, "insert into kept_contents (id, sealed) select id, sealed from send_contents where id = $1", [
      copied,
    ]);
    await change(
      db,
      "insert into kept_attachment_chunks (id, part, number, sealed) select id, part, number, sealed from attachment_chunks where id = $1",
      [copied],
    );
    await ageCopies(db);
    const end = await begin(db, accountId);
    expect(await dropToday(db)).toMatchObject({ forgotten: 0, failure: undefined });
    expect(await isDropped(db, week)).toBe(false);
    const parts = (id: string) =>
      Promise.all(
        ["send_contents", "kept_contents", "attachment_chunks", "kept_attachment_chunks"].map(
          async (table) => (await change(db, `select from ${table} where id = $1`, [id])).length,
        ),
      );
    expect(await parts(inWeek)).toEqual([1, 0, 1, 0]);
    expect(await parts(copied)).toEqual([1, 1, 1, 1]);
    await end();
    // Copies of attachments go after the content of their send.
    for (let run = 0; run < 2; run++) await dropToday(db);
    expect(await isDropped(db, week)).toBe(true);
    expect(await parts(copied)).toEqual([0, 0, 0, 0]);
  });

  test("keeps the record and the attempts of an old send", async () => {
    const { db } = await aDatabase(copyTemplate);
    await makePastMonths(db);
    const accountId = await anAccount(db);
    const sendId = await aPastSend(db, { accountId, at: daysBefore(keptSince(60), 1) });
    await change(
      db,
      `insert into send_attempts (send_id, attempt, started_at, ended_at, outcome)
       values (first_id_at(now() - interval '100 days'), 1, now() - interval '100 days', now() - interval '100 days', 'refused')`,
    );
    const counts = async () => [
      await value(db, `select count(*) from sends where id = '${sendId}'`),
      await value(db, "select count(*) from send_attempts where send_id < first_id_at(now() - interval '99 days')"),
    ];
    const end = await begin(db, accountId);
    const before = await counts();
    expect(before[0]).toBe(1);
    await dropOldRecords(db, 60, 60_000);
    await dropOldAttempts(db, 60_000);
    expect(await counts()).toEqual(before);
    await end();
    await dropOldRecords(db, 60, 60_000);
    await dropOldAttempts(db, 60_000);
    expect(await counts()).toEqual([0, 0]);
  });

  test("keeps the weeks of its deliveries, at most seven days longer", async () => {
    const { db } = await aDatabase(copyTemplate);
    await value(db, storeEveryHour("webhook_deliveries", "now()", "now()"));
    const count = () => value(db, "select count(*) from webhook_deliveries");
    const end = await begin(db, await anAccount(db));
    await dropOldWebhooks(db, inDays(37));
    expect(await count()).toBe(1);
    await end();
    await dropOldWebhooks(db, inDays(37));
    expect(await count()).toBe(0);
  });
});
