import type { Database } from "../../service/src/db/database.ts";
import { type ClaimedDelivery, claimDeliveries } from "../../service/src/webhooks/claim-deliveries.ts";
import { type SettledAttempt, settleDeliveries } from "../../service/src/webhooks/settle-deliveries.ts";
import { accountIdOf } from "./dataset.ts";
import { endpointIdOf, endpoints } from "./derived-rows.ts";
import { type Cost, costOf } from "./meter.ts";

/** What an endpoint may have leased at a time. */
const ofEachEndpoint = 4;
const deliveriesPerClaim = endpoints * ofEachEndpoint;

/** Claims due deliveries of every endpoint, beside all that retention keeps. Costs are per delivery, without queueing and settling it. */
export async function costOfWebhookClaims(worker: Database, count: number): Promise<Cost> {
  const costs: Cost[] = [];
  for (let done = 0; done < count; done += deliveriesPerClaim) {
    await queueDeliveries(worker);
    const claimed: ClaimedDelivery[] = [];
    costs.push(
      await costOf(worker, deliveriesPerClaim, async () => {
        const claim = { maxDeliveries: deliveriesPerClaim, answered: [], fastEndpoints: [], leasedOfFast: [] };
        claimed.push(...(await claimDeliveries(worker, claim)));
      }),
    );
    if (claimed.length !== deliveriesPerClaim) throw new Error(`${claimed.length} deliveries were claimed`);
    await settleDeliveries(worker, claimed.map(succeeded));
  }
  const mean = (figure: keyof Cost) => costs.reduce((sum, cost) => sum + cost[figure], 0) / costs.length;
  return { touched: mean("touched"), read: mean("read"), cpu: mean("cpu") };
}

async function queueDeliveries(worker: Database): Promise<void> {
  const numbers = Array.from({ length: deliveriesPerClaim }, (_, number) => number % endpoints);
  await worker.query({
    name: "queue-webhook-deliveries",
    text: `
      with added as materialized (
        select endpoint.id as endpoint_id, endpoint.account_id, new_id_at(now()) as id
        from unnest($1::uuid[], $2::uuid[]) as endpoint (id, account_id)
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
        select id, id, account_id, 'test', 'send.sent', now(), repeat('x', 400)
        from added
      ), recorded as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type)
        select id, account_id, endpoint_id, id, id, 'send.sent'
        from added
      )
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
      select id, account_id, endpoint_id, id
      from added`,
    values: [numbers.map(endpointIdOf), numbers.map(accountIdOf)],
  });
}

function succeeded({ id, accountId, endpointId, attempt, attemptedAt }: ClaimedDelivery): SettledAttempt {
  const success = { durationMs: 12, status: 200, failure: undefined, delaySeconds: 60, kind: "made" } as const;
  return { deliveryId: id, accountId, endpointId, attempt, attemptedAt, ...success };
}
