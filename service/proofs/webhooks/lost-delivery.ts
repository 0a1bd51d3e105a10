import type { Database } from "../../src/db/database.ts";
import { fanOut } from "../../src/webhooks/fan-out.ts";
import { anAccount } from "../../test/builders.ts";
import { testContentKeys } from "../../test/send-builders.ts";
import { storeSentSends } from "../sends/sent-sends.ts";
import { accept, compareArrivals, noArrivals } from "./arrivals.ts";
import { aLoopbackEndpoint, type LoopbackReceiver, startLoopbackReceiver } from "./loopback-receiver.ts";
import { applyUntilStored, deliveryAndBounce, reportedTypes } from "./reported-sends.ts";
import { readEnvelopes } from "./stored-envelopes.ts";

/**
 * The control of webhook-loss: an account of its own with three notifications, one of which the proof itself loses. The same check must find
 * it, and must refuse a body with one other byte. Call it before a worker runs.
 */
export async function loseOneDelivery(db: Database, receivers: LoopbackReceiver[]) {
  const accountId = await anAccount(db);
  const arrivals = noArrivals();
  let secret = "";
  const receiver = await startLoopbackReceiver((request, response) => {
    void accept(arrivals, request, secret).then((isAccepted) => response.writeHead(isAccepted ? 200 : 400).end());
  });
  receivers.push(receiver);
  const { url } = receiver;
  ({ secret } = await aLoopbackEndpoint(db, { accountId, contentKeys: testContentKeys, types: reportedTypes, url }));
  const mails = await storeSentSends(db, { accountId, count: 1, recipientsOf: () => 2 });
  await applyUntilStored(db, mails.flatMap(deliveryAndBounce));
  await fanOut(db, 10);
  await db.query({
    name: "lose-one-delivery",
    text: "delete from webhook_queue where delivery_id = (select min(delivery_id::text)::uuid from webhook_queue where account_id = $1)",
    values: [accountId],
  });
  return {
    async findings(): Promise<{ missing: number; refused: number }> {
      const { missing } = compareArrivals(await readEnvelopes(db, accountId), arrivals);
      if (arrivals.last === undefined) return { missing, refused: 0 };
      const body = Buffer.from(arrivals.last.body);
      body[20] = (body[20] ?? 0) ^ 1;
      const isAccepted = await accept(noArrivals(), { ...arrivals.last, body }, secret);
      return { missing, refused: isAccepted ? 0 : 1 };
    },
  };
}
