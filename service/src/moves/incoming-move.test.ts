import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anAccount, aUser } from "../../test/builders.ts";
import { aFullAccount } from "../../test/full-account.ts";
import { aFrozenMove, anIncomingMove, sourceCell, suspendedAt } from "../../test/move-fixture.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { systemActor } from "../actor.ts";
import { requestDeletion, startPurge } from "../data-rights/deletion-store.ts";
import { startErasure } from "../data-rights/erasure-store.ts";
import {
  findIncomingMove,
  forgetIncoming,
  type IncomingRun,
  inMove,
  markUndone,
  openIncomingMove,
  purgeIncoming,
  release,
  takeOver,
} from "./incoming-move.ts";
import { markReleased } from "./released-move.ts";

const database = useTestDatabase();

const aKey = () => ({ accountId: randomUUIDv7(), moveId: randomUUIDv7(), runId: randomUUIDv7() });
const open = (key: IncomingRun) => openIncomingMove(database.db, { ...key, ...sourceCell });
const write = (key: IncomingRun) => inMove(database.db, key, async () => "written");

describe("open", () => {
  test("the same move is continued in any state, also when two runs open it at once", async () => {
    const key = aKey();
    const [one, two] = await Promise.all([open(key), open(key)]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ ...key, state: "copying", ...sourceCell, endedAt: null });
    await markUndone(database.db, key);
    expect(await open(key)).toMatchObject({ state: "undone" });
  });

  test("another move of the account is refused while one is copying or not forgotten", async () => {
    const key = aKey();
    await open(key);
    const other = { ...key, moveId: randomUUIDv7() };
    await expect(open(other)).rejects.toThrow("another move of the account from cell AA, which is copying");
    await markUndone(database.db, key);
    await expect(open(other)).rejects.toThrow("which is undone");
    await forgetIncoming(database.db, key);
    expect(await open(other)).toMatchObject({ moveId: other.moveId, state: "copying" });
  });

  test("an account that lives here is refused, whether it moved here or was made here", async () => {
    await expect(open({ ...aKey(), accountId: await anAccount(database.db) })).rejects.toThrow("lives in this cell");
    const key = aKey();
    await anIncomingMove(database.db, key);
    await release(database.db, key);
    await expect(open({ ...key, moveId: randomUUIDv7() })).rejects.toThrow("lives in this cell");
  });

  test("an account that moved on can come back when its rows are gone, and then works here", async () => {
    const { db } = database;
    const first = aKey();
    await anIncomingMove(db, first);
    await release(db, first);
    await markReleased(db, await aFrozenMove(db, first.accountId));
    const back = { ...first, moveId: randomUUIDv7() };
    await expect(open(back)).rejects.toThrow("moved away from this cell");
    await change(db, "delete from accounts where id = $1", [first.accountId]);
    await change(db, "insert into account_deletions (account_id, finished_at) values ($1, now())", [first.accountId]);
    await anIncomingMove(db, back);
    expect(await release(db, back)).toBe("released");
    expect(await suspendedAt(db, first.accountId)).toBeNull();
    expect(await change(db, "select is_moving_account($1) as moving", [first.accountId])).toEqual([{ moving: false }]);
    expect(await requestDeletion(db, first.accountId, systemActor)).toBe(true);
  });

  test("no copy begins during an erasure, and no erasure during a copy", async () => {
    const { db } = database;
    const erase = () =>
      startErasure(db, { addressHash: randomUUIDv7(), accountId: undefined }, { step: "sends", position: [] });
    await change(db, "update incoming_moves set state = 'undone', ended_at = now() where state = 'copying'");
    await erase();
    await expect(open(aKey())).rejects.toThrow("address is being erased");
    await change(db, "update erasures set finished_at = now()");
    const key = aKey();
    await open(key);
    await expect(erase()).rejects.toThrow(key.accountId);
    await markUndone(db, key);
    await erase();
    await change(db, "update erasures set finished_at = now()");
  });
});

describe("write", () => {
  test("only a move that is copying writes", async () => {
    const [absent, released, undone] = [aKey(), aKey(), aKey()];
    await anIncomingMove(database.db, released);
    expect(await write(released)).toBe("written");
    await expect(write({ ...released, moveId: randomUUIDv7() })).rejects.toMatchObject({ code: "CONFLICT" });
    await release(database.db, released);
    await open(undone);
    await markUndone(database.db, undone);
    for (const key of [absent, released, undone])
      await expect(write(key)).rejects.toThrow("The move went on without this run");
  });

  test("only the newest run writes and releases", async () => {
    const earlier = aKey();
    await anIncomingMove(database.db, earlier);
    const later = { ...earlier, runId: randomUUIDv7() };
    await takeOver(database.db, later);
    await expect(write(earlier)).rejects.toThrow("The move went on without this run");
    expect(await release(database.db, earlier)).toBe("copying");
    expect(await write(later)).toBe("written");
    expect(await release(database.db, later)).toBe("released");
  });

  test("a release and an undo wait for a write that has begun", async () => {
    for (const end of [release, markUndone]) {
      const key = aKey();
      await anIncomingMove(database.db, key);
      let isWritten = false;
      const ended = await inMove(database.db, key, async () => {
        const ending = end(database.db, key).then((state) => ({ state, isWritten }));
        await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, 150))]);
        isWritten = true;
        return { ending };
      });
      expect(await ended.ending).toMatchObject({ isWritten: true });
    }
  });

  test("its statements may do what a move may", async () => {
    const key = aKey();
    await anIncomingMove(database.db, key);
    const resume = {
      name: "resume",
      text: "update accounts set suspended_at = null where id = $1",
      values: [key.accountId],
    };
    await expect(database.db.query(resume)).rejects.toMatchObject({ code: "PS002" });
    await inMove(database.db, key, (tx) => tx.query(resume));
    expect(await suspendedAt(database.db, key.accountId)).toBeNull();
  });
});

describe("the end", () => {
  test("of a release and an undo at once exactly one wins, and both say which", async () => {
    for (let round = 0; round < 10; round++) {
      const key = aKey();
      await anIncomingMove(database.db, key);
      const ends = round % 2 === 0 ? [release, markUndone] : [markUndone, release];
      const states = await Promise.all(ends.map((end) => end(database.db, key)));
      expect(new Set(states).size).toBe(1);
      expect(await findIncomingMove(database.db, key.accountId)).toMatchObject({ state: states[0] });
      expect((await suspendedAt(database.db, key.accountId)) === null).toBe(states[0] === "released");
    }
  });

  test("an account that is marked for deletion stays suspended, and is purged after the move only", async () => {
    const { db } = database;
    const key = aKey();
    await anIncomingMove(db, key);
    await requestDeletion(db, key.accountId, systemActor);
    await change(db, "update account_deletions set requested_at = now() - interval '3 days' where account_id = $1", [
      key.accountId,
    ]);
    expect(await startPurge(db, key.accountId)).toBe(false);
    await release(db, key);
    expect(await suspendedAt(db, key.accountId)).not.toBeNull();
    expect(await startPurge(db, key.accountId)).toBe(true);
  });

  test("a move without a row is absent, and an account that was not copied is not released", async () => {
    const key = aKey();
    for (const end of [release, markUndone]) expect(await end(database.db, key)).toBe("absent");
    await open(key);
    expect(await release(database.db, { ...key, moveId: randomUUIDv7() })).toBe("absent");
    await expect(release(database.db, key)).rejects.toThrow("not copied");
    expect(await findIncomingMove(database.db, key.accountId)).toMatchObject({ state: "copying" });
  });
});

describe("purge", () => {
  test("everything that was copied goes, nothing remembers it, and the account can be copied again", async () => {
    const { db } = database;
    const full = await aFullAccount(db);
    const other = await aFullAccount(db);
    const { accountId } = full;
    await aQueuedSend(db, { accountId });
    await aUser(db, { accountId, role: "viewer" });
    const move = { accountId, moveId: randomUUIDv7(), runId: randomUUIDv7() };
    await change(
      db,
      "insert into incoming_moves (account_id, move_id, run_id, source_url, source_cell) values ($1, $2, $3, 'https://a', 'AA')",
      [accountId, move.moveId, move.runId],
    );
    await inMove(db, move, (tx) =>
      tx.query({
        name: "suspend",
        text: "update accounts set suspended_at = now() where id = $1",
        values: [accountId],
      }),
    );
    await change(db, "insert into account_deletions (account_id) values ($1)", [accountId]);
    await expect(purgeIncoming(db, move)).rejects.toThrow("not undone");
    await markUndone(db, move);
    await purgeIncoming(db, move);
    await purgeIncoming(db, move);
    expect(await tablesWith(accountId)).toEqual(["incoming_moves"]);
    expect(await change(db, "select from forgotten_sends where send_id = $1", [full.sent.id])).toEqual([]);
    expect((await tablesWith(other.accountId)).length).toBeGreaterThan(20);
    await forgetIncoming(db, move);
    await anIncomingMove(db, { accountId, moveId: randomUUIDv7(), runId: randomUUIDv7() });
  });

  test("a copy that ended before it had the account is purged", async () => {
    const { db } = database;
    const key = aKey();
    await open(key);
    await change(
      db,
      `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       values (new_id_at(now()), $1, 'live', 'queued', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello')`,
      [key.accountId],
    );
    await markUndone(db, key);
    await purgeIncoming(db, key);
    expect(await tablesWith(key.accountId)).toEqual(["incoming_moves"]);
  });
});

/** The tables with rows of the account. */
async function tablesWith(accountId: string): Promise<string[]> {
  const tables = await change(
    database.db,
    `select c.relname as name
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     where a.attname = 'account_id' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await change(database.db, `select from ${String(name)} where account_id::text = $1::text limit 1`, [
      accountId,
    ]);
    if (rows.length > 0) found.push(String(name));
  }
  return found;
}
