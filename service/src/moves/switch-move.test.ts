import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Crash, CrashAt } from "../../test/crash-at.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import {
  aMoveContext,
  anAccountWithMail,
  livesIn,
  type MovedAccount,
  mailOf,
  openCells,
} from "../../test/two-moving-cells.ts";
import { unparkSends } from "../queue/parked-sends.ts";
import { copyQueue } from "./copy-queue.ts";
import { release } from "./incoming-move.ts";
import { findOutgoingMove } from "./outgoing-move.ts";
import { switchMove } from "./switch-move.ts";
import { undoMove } from "./undo-move.ts";

let cells: Awaited<ReturnType<typeof openCells>>;
beforeAll(async () => {
  cells = await openCells(inject("serverUrl"));
});
afterAll(() => cells.close());

const contextOf = (account: MovedAccount, crash = new CrashAt()) => aMoveContext(cells, account, crash);
const run = (account: MovedAccount) => switchMove(contextOf(account), async () => undefined);

/** Everything is copied, and the run died before the release. */
async function anUnreleasedAccount(): Promise<MovedAccount> {
  const account = await anAccountWithMail(cells);
  const crash = new CrashAt("release-incoming-move");
  await expect(switchMove(contextOf(account, crash), async () => undefined)).rejects.toBeInstanceOf(Crash);
  return account;
}

test("an account moves with its queue, which waits in the target until workers unpark it", async () => {
  const account = await anAccountWithMail(cells);
  let releasedBefore = false;
  await switchMove(contextOf(account), async () => {
    releasedBefore = (await livesIn(cells, account.id)) === "target";
  });
  expect(releasedBefore).toBe(true);
  expect(await livesIn(cells, account.id)).toBe("target");
  expect(await mailOf(cells.target, account.id)).toBe(account.mail);
  expect(await mailOf(cells.source, account.id)).toBe("[]");
  expect(await findOutgoingMove(cells.source, account.id)).toMatchObject({ state: "released" });
  await unparkSends(cells.target, "live");
  const states = await change(
    cells.target,
    "select distinct state from send_queue where account_id = $1 and mode = 'live'",
    [account.id],
  );
  expect(states).toEqual([{ state: "ready" }]);
});

test("a run that slept writes and releases nothing after another run went on", async () => {
  const account = await anUnreleasedAccount();
  const sleeping = contextOf(account);
  const move = await findOutgoingMove(cells.source, account.id);
  if (move === undefined) throw new Error("the account is not moving");
  await run(account);
  await expect(copyQueue(sleeping, move)).rejects.toThrow("The move went on without this run");
  expect(await mailOf(cells.target, account.id)).toBe(account.mail);
});

test("a run that slept cannot release an account that another run is about to put back", async () => {
  const account = await anUnreleasedAccount();
  const move = await findOutgoingMove(cells.source, account.id);
  if (move === undefined) throw new Error("the account is not moving");
  const [row] = await change(cells.target, "select run_id from incoming_moves where account_id = $1", [account.id]);
  await undoMove(contextOf(account));
  expect(await release(cells.target, { ...move, runId: String(row?.run_id) })).toBe("absent");
  expect(await livesIn(cells, account.id)).toBe("source");
  expect(await mailOf(cells.source, account.id)).toBe(account.mail);
});

test("when the target lost a release by a failover, nothing goes on by itself, and the operator can undo", async () => {
  const account = await anUnreleasedAccount();
  await change(cells.source, "update outgoing_moves set releasing_on = 'another history' where account_id = $1", [
    account.id,
  ]);
  await expect(run(account)).rejects.toThrow(/a failover or restore there lost commits/);
  expect(await livesIn(cells, account.id)).toBe("");
  await undoMove(contextOf(account));
  expect(await livesIn(cells, account.id)).toBe("source");
  expect(await mailOf(cells.source, account.id)).toBe(account.mail);
});

test("after a failover of the source, the move is undone before another one begins", async () => {
  const account = await anUnreleasedAccount();
  await change(cells.source, "update outgoing_moves set state = 'unknown' where account_id = $1", [account.id]);
  await expect(run(account)).rejects.toThrow(/had a failover during the move/);
  await undoMove(contextOf(account));
  expect(await livesIn(cells, account.id)).toBe("source");
  const queued = await change(cells.source, "select mode, state from send_queue where account_id = $1 order by id", [
    account.id,
  ]);
  expect(queued.filter(({ mode }) => mode === "live").map(({ state }) => state)).toEqual(["in-doubt", "in-doubt"]);
});

test("a copy that no source knows of is deleted by an undo", async () => {
  const account = await anAccountWithMail(cells);
  await change(
    cells.target,
    "insert into incoming_moves (account_id, move_id, run_id, source_url, source_cell) values ($1, $2, $2, 'https://aa.mail.test', 'AA')",
    [account.id, randomUUIDv7()],
  );
  await undoMove(contextOf(account));
  expect(await change(cells.target, "select from incoming_moves where account_id = $1", [account.id])).toEqual([]);
  await expect(undoMove(contextOf(account))).rejects.toThrow("is not moving");
});

test("a domain that comes after the preparation ends the hold, and the account works", async () => {
  const account = await anAccountWithMail(cells);
  const context = contextOf(account);
  const { db } = context.source;
  let isCopied = false;
  const query: typeof db.query = async (statement) => {
    isCopied ||= statement.name === "read-horizon";
    // The wait after the hold.
    if (isCopied && statement.name === "list-older-sessions") await aVerifiedDomain(cells.source, account.id);
    return db.query(statement);
  };
  const withDomain = { ...context, source: { ...context.source, db: { ...db, query } } };
  await expect(switchMove(withDomain, async () => undefined)).rejects.toThrow(/Not verified in the target/);
  expect(await livesIn(cells, account.id)).toBe("source");
  expect(await mailOf(cells.source, account.id)).toBe(account.mail);
});
