import type { ConsoleSession } from "../../test/console-session.ts";
import type { Person } from "../../test/person.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { storeHostileWebhook } from "./hostile-webhook.ts";

export interface HostileAccount {
  person: Person;
  sendIds: string[];
  recipients: string[];
  domainIds: number[];
  /** The pages of a webhook and of deliveries to it. */
  webhookPaths: string[];
}

/**
 * An account in which every text that a stranger or a careless colleague can choose is hostile. Stored directly: the API refuses many of
 * these addresses and names, and the console must not depend on that.
 */
export async function storeHostileAccount(session: ConsoleSession, count: number): Promise<HostileAccount> {
  const texts = hostileTexts(count);
  const person = await session.aPerson({ accountName: texts[1] ?? "" });
  const { accountId } = person;
  const { db } = session;
  const stored = await db.query<{ id: string; recipient: string }>({
    name: "store-hostile-sends",
    text: `
      with texts as materialized (
        select text, number, text || '@' || 'host-' || number || '.test' as recipient, new_id_at(at) as id, at
        from unnest($2::text[]) with ordinality as given (text, number)
        cross join lateral (select now() - (cardinality($2::text[]) - number + 60) * interval '1 second' as at) as moment
      ), stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at,
          provider_message_id, error_code, error_message, outcomes)
        select id, $1, 'live', case when number % 3 = 2 then 'failed' else 'bounced' end, text || ' <orders@shop.test>', array[recipient, 'other-' || recipient], 2, 0, text, at, at,
          'provider-' || number, case when number % 3 = 2 then 'PROVIDER_REJECTED' end, case when number % 3 = 2 then text end, '{3,2}'
        from texts
      ), bounces as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, reply_status, reply,
          reporting_mta)
        select new_id_at(at + interval '1 second'), id, $1, 'live', 'Bounce', at + interval '1 second', recipient, 'Permanent', 'General',
          left(text, 20), 'smtp; 550 5.1.1 ' || text, 'dns; ' || text
        from texts
        where number % 3 <> 2
      ), suppressed as (
        insert into suppressions (id, account_id, mode, email, reason, send_id)
        select new_id_at(at), $1, 'live', lower(recipient), case when number % 2 = 0 then 'complaint' else 'hard_bounce' end, id
        from texts
        where number % 3 <> 2
        on conflict do nothing
      ), used as (
        insert into usage_hours (account_id, mode, hour, domain, accepted_sends, accepted_recipients, delivered, bounced_hard)
        select $1, 'live', date_trunc('hour', now() - interval '1 hour', 'UTC'), left(text, 200) || number, 1, 123456789012, 300, 20
        from texts
      )
      select id, recipient
      from texts
      order by number`,
    values: [accountId, texts],
  });
  await storeNames(session, person, texts);
  const domains = await session.api(person).get<{ domain_id: number }[]>("/domains");
  return {
    person,
    sendIds: stored.map(({ id }) => id),
    recipients: stored.map(({ recipient }) => recipient),
    domainIds: domains.map(({ domain_id }) => domain_id),
    webhookPaths: await storeHostileWebhook(session, person, texts),
  };
}

/** Names of keys and domains, and of the programs that logged in. Keys and domains made through the API are renamed. */
async function storeNames(session: ConsoleSession, person: Person, texts: string[]): Promise<void> {
  const api = session.api(person);
  for (const [number, text] of texts.slice(0, 30).entries()) {
    const { id } = await api.post<{ id: string }>("/api-keys", { name: `key ${number}`, type: "live" });
    await session.db.query({
      name: "rename-key",
      text: `update api_keys set name = left($3, 200) where account_id = $1 and id = $2`,
      values: [person.accountId, id, text],
    });
    if (number < 5) await api.post("/domains", { domain_name: longDomain(number) });
  }
  for (const userAgent of texts.slice(0, 10)) {
    await fetch(`${session.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": userAgent.replaceAll(/[^\x20-\x7e]/g, "?") },
      body: JSON.stringify({ email: person.email, password: person.password }),
      signal: AbortSignal.timeout(20_000),
    });
  }
}

/** As long as DNS permits beside the records of the domain. */
function longDomain(number: number): string {
  return `${"w".repeat(60)}-${number}.${"i".repeat(63)}.${"m".repeat(50)}.example`;
}
