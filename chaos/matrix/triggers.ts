import { readWholeLedger } from "../../service/proofs/cell/ledger-tail.ts";
import { envelopeText, eventText } from "../../service/proofs/feedback/event-texts.ts";
import { quarantine } from "../../service/src/feedback/quarantine-store.ts";
import { askForDomain, type MatrixContext, sendMail, sendTestMail } from "./matrix-context.ts";
import type { CrashPoint } from "./points.ts";

/** Creates the work that leads a worker to the crash point. `label` must be unique. */
export async function triggerWorker(context: MatrixContext, point: CrashPoint, label: string): Promise<void> {
  await sendMail(context, label);
  await prepare(context, point, label);
  if (point.chore !== undefined) await makeDue(context, point.chore);
}

async function prepare(context: MatrixContext, { trigger }: CrashPoint, label: string): Promise<void> {
  const { db } = context.cell;
  switch (trigger) {
    case "test-send":
      return sendTestMail(context, label);
    case "check":
      return proveDomain(context, `${label}.io`);
    case "quarantine":
      return quarantineAnEvent(context);
    case "suppression":
      await db.query({
        name: "chaos-unsuppress",
        text: `insert into suppression_removals (email) values ($1)`,
        values: [`${label}@example.test`],
      });
      return;
    case "notification":
      await db.query({
        name: "chaos-notify",
        text: `
          insert into notifications (id, public_id, account_id, mode, type, occurred_at, facts)
          values (new_id_at(now()), gen_random_uuid(), $1, 'live', 'domain.failed', now(), jsonb_build_object('id', gen_random_uuid(), 'domain', $2::text))`,
        values: [context.cell.senders[0]?.accountId, `${label}.io`],
      });
      return;
    case "webhook":
      return queueWebhook(context, "pending");
    case "abandoned-webhook":
      return queueWebhook(context, "delivering");
    case "replay":
      return replayRange(context);
    case "partition":
      return dropNewestPartition(context);
    case "stray-content":
      await db.query({
        name: "chaos-stray-content",
        text: `insert into send_contents (id, sealed) values (first_id_at(now() - random() * interval '1 day' - interval '40 days'), '')`,
      });
      return;
    case "abandoned-draft":
      await db.query({
        name: "chaos-abandoned-draft",
        text: `
          insert into domains (account_id, domain_name, challenge_token, configuration_set_name, created_at)
          values ($1, $2, 'token', 'postern-AA', now() - interval '20 minutes')`,
        values: [context.cell.senders[0]?.accountId, `${label}.io`],
      });
      return;
    case "send":
    case "start":
    case "accept":
    case "register":
    case "remove":
  }
}

/** An earlier run would delay the chore by up to an hour. A new database gets its chores from the worker that starts next. */
async function makeDue({ cell }: MatrixContext, chore: string): Promise<void> {
  await cell.db.query({
    name: "chaos-make-due",
    text: `update chore_runs set due_at = now(), leased_until = null where name = $1`,
    values: [chore],
  });
}

/** Registers a domain and publishes its records, so that the next check verifies it. */
async function proveDomain(context: MatrixContext, name: string): Promise<void> {
  const { cell, dns, domains } = context;
  const { body } = await askForDomain(context, cell.apiUrls[0] ?? "", "POST", "", { domain_name: name });
  const proof = body.dns_records?.find(({ type }) => type === "TXT");
  if (proof === undefined) throw new Error(`${name} could not be registered`);
  await dns.publish(proof.name, `TXT "${proof.value}"`);
  const path = `${cell.simulatorUrl}/_simulator/identities/${name}/verification`;
  await fetch(path, { method: "POST", body: JSON.stringify({ status: "SUCCESS" }) });
  domains.push({ name, end: "verified" });
}

/** Quarantines an event that can be applied, so that the next retry applies it. */
async function quarantineAnEvent({ cell }: MatrixContext): Promise<void> {
  const mail = readWholeLedger({ dataFolder: `${cell.folder}/simulator` }).at(-1);
  if (mail === undefined) return;
  const event = { type: "Delivery", at: new Date().toISOString(), recipients: mail.recipients } as const;
  const raw = envelopeText(cell.environment.AWS_FEEDBACK_TOPIC_ARN ?? "", eventText(mail, event));
  await quarantine(cell.db, [{ reason: "unknown-send", raw }]);
  await cell.db.query({ name: "chaos-retry-now", text: `update feedback_quarantine set next_try_at = now()` });
}

/**
 * Queues a delivery to an address that the outbound rules refuse, so each attempt ends at once and the delivery is retried. `delivering`: as
 * a crashed worker leaves it.
 */
async function queueWebhook({ cell: { db, senders } }: MatrixContext, state: "pending" | "delivering"): Promise<void> {
  await db.query({
    name: "chaos-queue-webhook",
    text: `
      with endpoint as (
        insert into webhook_endpoints (id, account_id, mode, url, types)
        values (new_id_at(now()), $1, 'live', 'https://127.0.0.1/', '{domain.failed}')
        returning id, account_id
      ), notification as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
        select new_id_at(now()), gen_random_uuid(), account_id, 'live', 'domain.failed', now(), '{}'
        from endpoint
        returning id, public_id
      ), delivery as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type)
        select new_id_at(now()), endpoint.account_id, endpoint.id, notification.id, notification.public_id, 'domain.failed'
        from endpoint
        cross join notification
        returning id, account_id, endpoint_id, notification_id
      )
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state, attempt, attempted_at, due_at)
      select id, account_id, endpoint_id, notification_id, $2, ($2 = 'delivering')::integer, now(), now() - interval '1 second'
      from delivery`,
    values: [senders[0]?.accountId, state],
  });
}

/** A replay to a new endpoint, as above. */
async function replayRange({ cell: { db, senders } }: MatrixContext): Promise<void> {
  await db.query({
    name: "chaos-replay-range",
    text: `
      with endpoint as (
        insert into webhook_endpoints (id, account_id, mode, url, types)
        values (new_id_at(now()), $1, 'live', 'https://127.0.0.1/', '{send.delivered}')
        returning id, account_id, types
      )
      insert into webhook_replays (id, account_id, endpoint_id, types, from_at, to_at, position, due_at)
      select new_id_at(now()), account_id, id, types, now() - interval '1 hour', now(), first_id_at(now() - interval '1 hour'), now()
      from endpoint`,
    values: [senders[0]?.accountId],
  });
}

async function dropNewestPartition({ cell: { db } }: MatrixContext): Promise<void> {
  const [newest] = await db.query<{ name: string }>({
    name: "chaos-newest-partition",
    text: `select name from partition_ranges where parent = 'events' and ends_at is not null order by ends_at desc limit 1`,
  });
  if (newest !== undefined) await db.query({ name: `chaos-drop-${newest.name}`, text: `drop table ${newest.name}` });
}
