import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anAccount, aUser } from "../../test/builders.ts";
import { claimAll } from "../../test/failover-fixture.ts";
import { aHeldMove, aMove, suspendedAt, targetCell } from "../../test/move-fixture.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aReplay, aWebhook } from "../../test/webhook-builders.ts";
import { resumeAccount } from "../accounts/account-store.ts";
import { systemActor } from "../actor.ts";
import { requestDeletion } from "../data-rights/deletion-store.ts";
import { startErasure } from "../data-rights/erasure-store.ts";
import { endHold, findOutgoingMove, forgetOutgoing, holdForMove, startMove } from "./outgoing-move.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const anErasure = (accountId: string | undefined, address = randomUUIDv7()) =>
  startErasure(database.db, { addressHash: address, accountId }, { step: "sends", position: [] });

const endErasures = () => change(database.db, "update erasures set finished_at = now() where finished_at is null");

describe("start", () => {
  test("the same move is continued, and the account works meanwhile", async () => {
    const move = await aMove(database.db);
    expect(await aMove(database.db, move.accountId)).toEqual(move);
    expect(move).toMatchObject({ state: "copying", heldAt: null, ...targetCell });
    expect(await suspendedAt(database.db, move.accountId)).toBeNull();
  });

  test("a move to another cell is refused while one is open", async () => {
    const { accountId, moveId } = await aMove(database.db);
    const elsewhere = { accountId, targetUrl: "https://c.mail.test", targetCell: "CC" };
    await expect(startMove(database.db, elsewhere)).rejects.toThrow("moving to cell BB (https://b.mail.test)");
    await expect(startMove(database.db, { accountId, moveId: randomUUIDv7(), ...targetCell })).rejects.toThrow(
      "Another move",
    );
    expect(await findOutgoingMove(database.db, accountId)).toMatchObject({ moveId, targetCell: "BB" });
  });

  test("an account that does not exist or is suspended does not move, and no row is left", async () => {
    await expect(aMove(database.db, randomUUIDv7())).rejects.toMatchObject({ code: "NOT_FOUND" });
    const accountId = await anAccount(database.db);
    await change(database.db, "update accounts set suspended_at = now() where id = $1", [accountId]);
    await expect(aMove(database.db, accountId)).rejects.toThrow("suspended");
    expect(await findOutgoingMove(database.db, accountId)).toBeUndefined();
  });

  test("a deletion, an erasure and a replay of webhooks must end before", async () => {
    const { db } = database;
    const [deleted, replayed] = [await anAccount(db), await anAccount(db)];
    await requestDeletion(db, deleted, systemActor);
    await change(db, "update accounts set suspended_at = null where id = $1", [deleted]);
    await expect(aMove(db, deleted)).rejects.toThrow("marked for deletion");
    await change(db, "update account_deletions set finished_at = now() where account_id = $1", [deleted]);
    await aMove(db, deleted);
    await aReplay(db, { accountId: replayed, endpointId: await aWebhook(db, { accountId: replayed }) });
    await expect(aMove(db, replayed)).rejects.toThrow("replay of webhooks");
    await anErasure(undefined);
    await expect(aMove(db)).rejects.toThrow("address is being erased");
    await endErasures();
    await anErasure(replayed);
    await aMove(db);
    await endErasures();
  });
});

describe("hold", () => {
  test("the account is suspended with the time of the hold, and a claim parks its mail", async () => {
    const { db } = database;
    const accountId = await anAccount(db);
    const id = await aQueuedSend(db, { accountId });
    const { heldAt } = await aHeldMove(db, accountId);
    expect(await suspendedAt(db, accountId)).toBe(heldAt);
    expect(await claimAll(db, "live")).toEqual([]);
    expect(await queueRow(db, id)).toMatchObject({ state: "parked" });
  });

  test("it is repeatable: the same hold, and a later transaction to wait for", async () => {
    const move = await aMove(database.db);
    const [first, again] = [await holdForMove(database.db, move), await holdForMove(database.db, move)];
    expect(again.heldAt).toBe(first.heldAt);
    expect(Number(again.transaction)).toBeGreaterThan(Number(first.transaction));
  });

  test("what began since the start is in the way, and the account works on", async () => {
    const { db } = database;
    const erased = await aMove(db);
    await anErasure(erased.accountId);
    await expect(holdForMove(db, erased)).rejects.toThrow("address is being erased");
    await endErasures();
    const suspended = await aMove(db);
    await change(db, "update accounts set suspended_at = now() where id = $1", [suspended.accountId]);
    await expect(holdForMove(db, suspended)).rejects.toThrow("suspended");
    for (const { accountId } of [erased, suspended])
      expect(await findOutgoingMove(db, accountId)).toMatchObject({ state: "copying", heldAt: null });
    expect(await suspendedAt(db, erased.accountId)).toBeNull();
  });

  test("nobody but the move resumes the account, and no person changes it", async () => {
    const { db } = database;
    const { accountId } = await aHeldMove(db, (await aUser(db)).accountId);
    await expect(resumeAccount(db, accountId, systemActor)).rejects.toMatchObject({ code: "PS002" });
    const rename = { actor: { kind: "operator", name: "O" } as const };
    await expect(
      change(
        db,
        `insert into audit_entries (id, account_id, actor_kind, actor_name, action, target_kind, target_id)
         values (new_id_at(now()), $1, $2, 'O', 'domain.remove', 'domain', 'x')`,
        [accountId, rename.actor.kind],
      ),
    ).rejects.toMatchObject({ code: "PS002" });
  });

  test("no erasure begins while an account is held, and one of another account does", async () => {
    const { accountId, heldAt, moveId } = await aHeldMove(database.db);
    await expect(anErasure(undefined)).rejects.toThrow(accountId);
    await expect(anErasure(accountId)).rejects.toThrow(accountId);
    expect(await change(database.db, "select from erasures where finished_at is null")).toEqual([]);
    await anErasure(await anAccount(database.db));
    await endErasures();
    await endHold(database.db, { accountId, moveId, heldAt });
  });
});

describe("the end of a hold", () => {
  test("the account works again, once", async () => {
    const move = await aHeldMove(database.db);
    expect(await endHold(database.db, move)).toBe(true);
    expect(await suspendedAt(database.db, move.accountId)).toBeNull();
    expect(await findOutgoingMove(database.db, move.accountId)).toMatchObject({ state: "copying", heldAt: null });
    expect(await endHold(database.db, move)).toBe(false);
  });

  test("a run that was suspended does not end the hold of a later one", async () => {
    const earlier = await aHeldMove(database.db);
    await endHold(database.db, earlier);
    const later = await aHeldMove(database.db, earlier.accountId);
    expect(await endHold(database.db, earlier)).toBe(false);
    expect(await suspendedAt(database.db, earlier.accountId)).toBe(later.heldAt);
  });

  test("an account that is suspended for another reason since stays suspended", async () => {
    const move = await aHeldMove(database.db);
    await database.db.withTransaction(async (tx) => {
      await tx.query({ name: "as-move", text: "select set_config('postern.moves_account', 'on', true)" });
      await tx.query({
        name: "suspend-again",
        text: "update accounts set suspended_at = now() + interval '1 s' where id = $1",
        values: [move.accountId],
      });
    });
    expect(await endHold(database.db, move)).toBe(true);
    expect(await suspendedAt(database.db, move.accountId)).not.toBeNull();
  });

  test("only a move whose account works is forgotten", async () => {
    const move = await aHeldMove(database.db);
    await forgetOutgoing(database.db, move);
    expect(await findOutgoingMove(database.db, move.accountId)).toMatchObject({ state: "held" });
    await endHold(database.db, move);
    await forgetOutgoing(database.db, move);
    expect(await findOutgoingMove(database.db, move.accountId)).toBeUndefined();
  });
});
