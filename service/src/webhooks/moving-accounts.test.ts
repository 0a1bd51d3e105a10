import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aListener, aReplay } from "../../test/webhook-builders.ts";
import {
  aWebhookEndpoint,
  claimUpTo,
  endpointState,
  pendingDeliveries,
  useEmptyWebhooks,
} from "../../test/webhook-fixture.ts";
import { advanceReplay } from "./advance-replay.ts";
import { findDueWork } from "./due-work.ts";
import { disableFailing } from "./endpoint-health.ts";
import { fanOut } from "./fan-out.ts";
import { deleteExpiredListeners } from "./listeners/expired-listeners.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);

const moves = [
  ...(["held", "frozen", "released", "unknown"] as const).map(
    (state) => [`to another cell that is ${state}`, (id: string) => anOutgoingMove(database.db, id, state)] as const,
  ),
  ["into this cell that is copying", (id: string) => anIncomingMove(database.db, id, "copying")] as const,
];
const ended = [
  ["to another cell that is copying", (id: string) => anOutgoingMove(database.db, id, "copying")],
  ["into this cell that is released", (id: string) => anIncomingMove(database.db, id, "released")],
] as const;

test.for(moves)(
  "new notifications of an account with a move %s wait, also beside many such accounts, and are fanned out after it",
  async ([, move]) => {
    const { db } = database;
    const [moving, other] = [await aWebhookEndpoint(db), await aWebhookEndpoint(db)];
    const many = await Promise.all(Array.from({ length: 12 }, () => anAccount(db)));
    for (const accountId of [...many, moving.accountId]) {
      await aNotification(accountId);
      await move(accountId);
    }
    await aNotification(other.accountId);
    expect(await fanOut(db, 10)).toMatchObject({ taken: 1, isMore: false });
    expect(await deliveriesOf(other.id)).toBe(1);
    expect(await deliveriesOf(moving.id)).toBe(0);
    await noMove(db, moving.accountId);
    expect(await fanOut(db, 10)).toMatchObject({ taken: 1 });
    expect(await deliveriesOf(moving.id)).toBe(1);
  },
);

test.for(moves)("no delivery of an account with a move %s is claimed, and they are due after it", async ([, move]) => {
  const { db } = database;
  const [moving, other] = [await aWebhookEndpoint(db), await aWebhookEndpoint(db)];
  for (const endpoint of [moving, other]) await pendingDeliveries(db, endpoint, { count: 2 });
  await move(moving.accountId);
  expect((await claimUpTo(db, 100)).map(({ endpointId }) => endpointId)).toEqual([other.id, other.id]);
  await noMove(db, moving.accountId);
  expect((await claimUpTo(db, 100)).map(({ endpointId }) => endpointId)).toEqual([moving.id, moving.id]);
});

test.for(moves)("a replay of an account with a move %s stays where it is, and goes on after it", async ([, move]) => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const replay = await aReplay(db, { accountId: endpoint.accountId, endpointId: endpoint.id });
  await move(endpoint.accountId);
  expect(await findDueWork(db)).toMatchObject({ replay: false });
  expect(await advanceReplay(db)).toBeUndefined();
  await noMove(db, endpoint.accountId);
  expect(await findDueWork(db)).toMatchObject({ replay: true });
  expect(await advanceReplay(db)).toMatchObject({ replayId: replay });
  await change(db, "delete from webhook_replays");
});

test.for(moves)("an endpoint of an account with a move %s is neither disabled nor deleted here", async ([, move]) => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const { id: listener } = await aListener(db, { accountId: endpoint.accountId, seconds: -1 });
  await change(
    db,
    "update webhook_endpoints set failing_since = now() - interval '9 days', failed_deliveries = 99 where id = $1",
    [endpoint.id],
  );
  await move(endpoint.accountId);
  expect(await disableFailing(db)).toEqual([]);
  expect(await deleteExpiredListeners(db, 10)).toBe(0);
  expect(await endpointState(db, listener)).toBeDefined();
  await noMove(db, endpoint.accountId);
  expect(await disableFailing(db)).toEqual([endpoint]);
  expect(await deleteExpiredListeners(db, 10)).toBe(1);
});

test.for(ended)("an account with a move %s works as always", async ([, move]) => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint);
  await aNotification(endpoint.accountId);
  await move(endpoint.accountId);
  expect(await fanOut(db, 10)).toMatchObject({ taken: 1 });
  expect(await claimUpTo(db, 100)).toHaveLength(2);
});

async function aNotification(accountId: string): Promise<void> {
  await change(
    database.db,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at)
     select id, id, $1, 'live', 'send.sent', now()
     from (select new_id_at(clock_timestamp()) as id) as given`,
    [accountId],
  );
}

async function deliveriesOf(endpointId: string): Promise<unknown> {
  const [row] = await change(database.db, "select count(*) from webhook_queue where endpoint_id = $1", [endpointId]);
  return row?.count;
}
