import type { ConsoleSession } from "../../test/console-session.ts";
import type { Person } from "../../test/person.ts";

/** A webhook whose endpoint answers with hostile texts; the bodies of its notifications have them too. Returns the paths that show them. */
export async function storeHostileWebhook(session: ConsoleSession, person: Person, texts: string[]): Promise<string[]> {
  const { webhook_id: id } = await session
    .api(person)
    .post<{ webhook_id: string }>("/webhooks", { url: "https://hooks.example.com/", types: ["send.bounced"] });
  const stored = await session.db.query<{ id: string }>({
    name: "store-hostile-deliveries",
    text: `
      with described as (
        update webhook_endpoints set description = left(($3::text[])[1], 500) where account_id = $1 and id = $2
      ), texts as materialized (
        select text, new_id_at(now() - number * interval '1 second') as id
        from unnest($3::text[]) with ordinality as given (text, number)
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
        select id, id, $1, 'live', 'send.bounced', now(), left(text, 4000)
        from texts
      ), attempted as (
        insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt, duration_ms, status, answer, failure, url, signature)
        select id, id, $1, $2, 1, 12, 500, text, 'The endpoint answered: ' || text, 'https://hooks.example.com/?x=' || left(text, 1000), text
        from texts
      ), delivered as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at)
        select id, $1, $2, id, id, 'send.bounced', 'failed', now()
        from texts
      )
      select id
      from texts`,
    values: [person.accountId, id, texts],
  });
  return [`/webhooks/${id}`, ...stored.map((delivery) => `/webhooks/${id}/deliveries/${delivery.id}`)];
}
