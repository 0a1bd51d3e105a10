import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aWebhook } from "../../test/webhook-builders.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { fanOut } from "./fan-out.ts";
import { sendTestNotification } from "./test-notification.ts";

const database = useTestDatabase();
const modes = ["live", "test"] as const;

test("a deletion during a fan-out, tests and other deletions leaves nothing in the queue", async () => {
  const { db } = database;
  for (let round = 0; round < 10; round++) {
    const accountId = await anAccount(db);
    const endpointId = await aWebhook(db, { accountId });
    await change(
      db,
      `insert into notifications (id, public_id, account_id, mode, type, occurred_at, facts)
       select new_id_at(now()), gen_random_uuid(), $1, 'live', 'domain.verified', now(), '{"id": 1, "name": "acme.io"}'
       from generate_series(1, 50)`,
      [accountId],
    );
    const account = db.forAccount(accountId);
    const removals = [1, 2].map(() => deleteEndpoint(account, modes, endpointId));
    const tests = [1, 2, 3].map(() => sendTestNotification(account, { modes, endpointId }, "send.sent"));
    const results = await Promise.allSettled([fanOut(db, 100), ...tests, ...removals]);
    expect(results.slice(-2).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await fanOut(db, 100);
    expect(await change(db, "select delivery_id from webhook_queue where endpoint_id = $1", [endpointId])).toEqual([]);
    const states = await change(db, "select distinct state from webhook_deliveries where endpoint_id = $1", [
      endpointId,
    ]);
    expect(states.filter(({ state }) => state !== "cancelled")).toEqual([]);
  }
});
