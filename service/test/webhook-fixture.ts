import { randomUUIDv7 } from "node:crypto";
import { beforeEach } from "vitest";
import type { Database } from "../src/db/database.ts";
import { type ClaimedDelivery, claimDeliveries, type DeliveryClaim } from "../src/webhooks/claim-deliveries.ts";
import type { SettledAttempt } from "../src/webhooks/settle-deliveries.ts";
import { anAccount } from "./builders.ts";
import { change } from "./send-rows.ts";

/** A claim serves all accounts, so each test of such a file starts without endpoints and deliveries. */
export function useEmptyWebhooks(database: { readonly db: Database }): void {
  beforeEach(async () => {
    for (const table of [
      "webhook_queue",
      "webhook_deliveries",
      "webhook_attempts",
      "notifications",
      "webhook_endpoints",
    ])
      await change(database.db, `delete from ${table}`);
  });
}

export interface WebhookEndpoint {
  id: string;
  accountId: string;
}

interface EndpointOptions {
  accountId?: string;
  url?: string;
  isFailing?: boolean;
  sealedSecrets?: Buffer[];
}

/** An endpoint with a secret that is not really sealed, unless the test passes others. */
export async function aWebhookEndpoint(db: Database, options: EndpointOptions = {}): Promise<WebhookEndpoint> {
  const { url = "https://hooks.example.test/in", isFailing = false, sealedSecrets = [Buffer.from("secret")] } = options;
  const accountId = options.accountId ?? (await anAccount(db));
  const id = randomUUIDv7();
  await change(
    db,
    `insert into webhook_endpoints (id, account_id, mode, url, types, failing_since)
    values ($1, $2, 'live', $3, '{send.sent}', case when $4 then now() end)`,
    [id, accountId, url, isFailing],
  );
  for (const sealed of sealedSecrets) {
    await change(
      db,
      "insert into webhook_secrets (id, endpoint_id, account_id, sealed) values (gen_random_uuid(), $1, $2, $3)",
      [id, accountId, sealed],
    );
  }
  return { id, accountId };
}

interface DeliveryOptions {
  count?: number;
  attempt?: number;
  dueInSeconds?: number;
  envelope?: string;
}

/** Notifications with one pending delivery each, oldest first. Returns the ids of the deliveries. */
export async function pendingDeliveries(
  db: Database,
  { id, accountId }: WebhookEndpoint,
  { count = 1, attempt = 0, dueInSeconds = 0, envelope = '{"type":"send.sent"}' }: DeliveryOptions = {},
): Promise<string[]> {
  const rows = await change(
    db,
    `with added as materialized (
      select number, new_id_at(now() + number * interval '1 millisecond') as notification_id,
        new_id_at(now() + number * interval '1 millisecond') as delivery_id, gen_random_uuid() as public_id
      from generate_series(1, $3::integer) as number
    ), stored as (
      insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
      select notification_id, public_id, $2, 'live', 'send.sent', now(), $6
      from added
    ), recorded as (
      insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type)
      select delivery_id, $2, $1, notification_id, public_id, 'send.sent'
      from added
    ), queued as (
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, attempt, due_at)
      select delivery_id, $2, $1, notification_id, $4, now() + make_interval(secs => $5) - (($3 - number) || ' microseconds')::interval
      from added
    )
    select delivery_id as id
    from added
    order by number`,
    [id, accountId, count, attempt, dueInSeconds, envelope],
  );
  return rows.map((row) => String(row.id));
}

export function claimUpTo(
  db: Database,
  maxDeliveries: number,
  claim: Partial<DeliveryClaim> = {},
): Promise<ClaimedDelivery[]> {
  return claimDeliveries(db, { maxDeliveries, answered: [], fastEndpoints: [], leasedOfFast: [], ...claim });
}

/** The result of an attempt; a success unless the test says otherwise. */
export function resultOf(claimed: ClaimedDelivery, result: Partial<SettledAttempt> = {}): SettledAttempt {
  const { id: deliveryId, accountId, endpointId, attempt, attemptedAt } = claimed;
  const success = { durationMs: 12, status: 200, failure: undefined, delaySeconds: 60, kind: "made" } as const;
  return { deliveryId, accountId, endpointId, attempt, attemptedAt, ...success, ...result };
}

export const aFailure = { status: 500, answer: "no", failure: "The endpoint answered with 500." } as const;

/** The state, attempt and seconds until due of a row in the queue as a text; undefined when it left the queue. */
export async function queued(db: Database, deliveryId: string): Promise<string | undefined> {
  const [row] = await change(
    db,
    `select state || ' ' || attempt || ' ' || round(extract(epoch from due_at - now())) as text
    from webhook_queue
    where delivery_id = $1`,
    [deliveryId],
  );
  return row === undefined ? undefined : String(row.text);
}

export async function deliveryState(db: Database, deliveryId: string): Promise<unknown> {
  const [row] = await change(db, "select state from webhook_deliveries where id = $1", [deliveryId]);
  return row?.state;
}

/** Each attempt as the text `<attempt> <status> <failure>`, oldest first. */
export async function webhookAttempts(db: Database, deliveryId: string): Promise<string[]> {
  const rows = await change(
    db,
    `select concat_ws(' ', attempt, status, failure) as text
    from webhook_attempts
    where delivery_id = $1
    order by id`,
    [deliveryId],
  );
  return rows.map((row) => String(row.text));
}

export async function endpointState(db: Database, endpointId: string) {
  const [row] = await change(
    db,
    `select disabled_reason, failing_since is not null as "isFailing", failed_deliveries as "failedDeliveries"
    from webhook_endpoints
    where id = $1`,
    [endpointId],
  );
  return row;
}
