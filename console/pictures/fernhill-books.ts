import type { ConsoleSession } from "../test/console-session.ts";
import type { Person } from "../test/person.ts";
import { seedUsage, sixtyDays } from "../test/seed-usage.ts";
import { until } from "../test/until.ts";
import { makeMistakes, seedOtherTenants } from "./other-tenants.ts";

/** Everything that the pictures show. */
export interface PicturedData {
  ada: Person;
  /** Has an account without any data. */
  newcomer: Person;
  /** Operates the installation. */
  olga: Person;
  /** The account whose mail bounces too often. */
  harmfulId: string;
  bouncedAddress: string;
  /** A mail with every outcome: three recipients, each with another one. */
  shippedId: string;
  domainId: number;
  pendingDomainId: number;
  invitationToken: string;
  webhookId: string;
  deliveryId: string;
}

const domain = "fernhill.example";
const pendingDomain = "mail.fernhill.example";
const people = [
  "m.okafor@brightside.example",
  "eva.sorensen@bakkely.example",
  "lena.brandt@posthaus.example",
  "a.petrov@millrace.example",
  "accounts@tidewater.example",
  "yuki.tanaka@morikawa.example",
  "c.delgado@sierra-post.example",
  "library@stoneford.example",
  "noor@vandenberg.example",
  "hugo.nilsson@kvarnby.example",
  "office@maple-row.example",
  "sam.adeyemi@northquay.example",
];
const subjects: [from: string, subject: (order: number) => string][] = [
  ["account", () => "Your sign-in code"],
  ["orders", (order) => `We received your order FB-${order}`],
  ["orders", (order) => `Your order FB-${order} has shipped`],
  ["billing", (order) => `Invoice 2026-11-${order - 20_000}`],
  ["account", () => "Reset your password"],
];
/** Enough outcomes for rates, which the console shows from 200 on. */
const deliveredSends = 230;

const shippedHtml = `<div style="font: 15px/1.5 Inter, Arial, sans-serif; color: #1f2a24; padding: 20px">
<b style="color: #1f4538">Fernhill Books</b>
<h1 style="font-size: 20px; margin: 18px 0 12px">Your order has shipped</h1>
<p>Hello Tom,</p><p>we gave order FB-20498 to the carrier this afternoon. It should reach you on Wednesday.</p>
<p style="background: #1f4538; color: #fff; text-align: center; padding: 10px; border-radius: 4px"><b>Track the parcel</b></p>
<table width="100%" style="font-size: 14px"><tr><td>The Salt Path, paperback<td>1<td align="right">&euro; 12.90
<tr><td>A Field Guide to Lichens<td>1<td align="right">&euro; 31.00<tr><td>Delivery<td><td align="right">&euro; 3.90
<tr><td><b>Total</b><td><td align="right"><b>&euro; 47.80</b></table>
<p style="font-size: 12px; color: #66706a">Fernhill Books, 3 Mill Street, 0581 Oslo</p></div>`;

/** Fills the account of a bookshop. The cell must be new: the names are fixed. */
export async function seedFernhillBooks(session: ConsoleSession): Promise<PicturedData> {
  const ada = await session.aPerson({ accountName: "Fernhill Books", email: "ada@fernhill.example" });
  const newcomer = await session.aPerson({ accountName: "Lantern Press", email: "iris@lantern.example" });
  await session.aPerson({ role: "developer", email: "ben@fernhill.example", colleagueOf: ada });
  await session.aPerson({ role: "viewer", email: "chloe@fernhill.example", colleagueOf: ada });
  const { sends, keys } = await session.seedMail(ada, { domain, label: "" });
  const shippedId = await aShippedOrder(session, keys.live ?? "");
  await sendMore(session, keys.live ?? "");
  await untilDelivered(session, ada);
  const pendingDomainId = await aPendingDomain(session, ada);
  await thePast(session, ada);
  await moreKeys(session, ada);
  await makeMistakes(session, keys.live ?? "");
  const bounced = sends.find(({ subject, status }) => status === "bounced" && subject === "Reset your password");
  return {
    ada,
    newcomer,
    bouncedAddress: bounced?.to[0] ?? "",
    shippedId,
    domainId: await domainIdOf(session, ada, domain),
    pendingDomainId,
    invitationToken: await anInvitation(session, ada),
    ...(await someWebhooks(session, ada, shippedId)),
    ...(await seedOtherTenants(session)),
  };
}

/** Two months of usage, and the counts of the guard for the same days. The hours of this run are counted already. */
async function thePast({ db }: ConsoleSession, { accountId }: Person): Promise<void> {
  const hours = sixtyDays().filter(({ hoursAgo }) => hoursAgo > 1);
  await seedUsage(
    db,
    accountId,
    hours.map((hour) => ({ ...hour, bouncedHard: Math.round((hour.bouncedHard ?? 0) * 0.6) })),
  );
  await db.query({
    name: "count-the-past",
    text: `
      insert into guard_counts (account_id, epoch, day, outcomes, hard_bounces, complaints, checked)
      select $1, a.guard_epoch, u.hour::date, sum(u.delivered + u.bounced_hard), sum(u.bounced_hard), sum(u.complained),
        sum(u.delivered + u.bounced_hard + u.complained)
      from usage_hours u
      join accounts a on a.id = u.account_id
      where u.account_id = $1
        and u.mode = 'live'
        and u.hour < date_trunc('day', now())
      group by 2, 3
      on conflict do nothing`,
    values: [accountId],
  });
}

async function aShippedOrder(session: ConsoleSession, key: string): Promise<string> {
  await session.simulateOutcome("bob.marsh@oakmere.example", "bounce");
  await session.simulateOutcome("pia.lund@brightside.example", "delay");
  const response = await fetch(`${session.url}/api/v1/send`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      from: `Fernhill Books <orders@${domain}>`,
      to: ["tom@harbourlight.example", "bob.marsh@oakmere.example", "pia.lund@brightside.example"],
      cc: ["accounts@tidewater.example"],
      subject: "Your order FB-20498 has shipped",
      html: shippedHtml,
      text: "Your order FB-20498 has shipped. It should reach you on Wednesday.",
    }),
  });
  const { id } = (await response.json()) as { id?: string };
  if (id === undefined) throw new Error(`POST /send answered ${response.status}`);
  return id;
}

async function sendMore({ url }: ConsoleSession, key: string): Promise<void> {
  for (let number = 0; number < deliveredSends; number++) {
    const [from, subject] = subjects[number % subjects.length] ?? ["orders", () => "Your order"];
    const order = 20_400 + number;
    const body = {
      from: `Fernhill Books <${from}@${domain}>`,
      to: people.slice(number % people.length, (number % people.length) + (number % 9 === 0 ? 3 : 1)),
      subject: subject(order),
      text: `${subject(order)}. Thank you for buying at Fernhill Books.`,
    };
    const response = await fetch(`${url}/api/v1/send`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST /send answered ${response.status}: ${await response.text()}`);
  }
}

async function untilDelivered(session: ConsoleSession, ada: Person): Promise<void> {
  // One send of the seeded mail stays delayed.
  const list = "/sends?mode=live&status=sent&limit=2";
  await until("the mail is delivered", 60_000, async () => {
    const { data } = await session.api(ada).get<{ data: { sends: unknown[] } }>(list);
    return data.sends.length <= 1;
  });
}

/** `postern dev` verifies every domain within seconds, so the state is stored directly, and no check comes before the pictures. */
async function aPendingDomain(session: ConsoleSession, ada: Person): Promise<number> {
  await session.aVerifiedDomain(ada, pendingDomain);
  await session.db.query({
    name: "make-domain-pending",
    text: `
      update domains
      set verification_status = 'Pending',
          is_dkim_verified = false,
          next_check_at = now() + interval '1 day',
          record_checks = jsonb_set(record_checks, '{1,status}', '"missing"')
      where account_id = $1
        and domain_name = $2`,
    values: [ada.accountId, pendingDomain],
  });
  return domainIdOf(session, ada, pendingDomain);
}

async function domainIdOf(session: ConsoleSession, ada: Person, name: string): Promise<number> {
  const domains = await session.api(ada).get<{ domain_id: number; domain_name: string }[]>("/domains");
  return domains.find(({ domain_name }) => domain_name === name)?.domain_id ?? 0;
}

async function moreKeys(session: ConsoleSession, ada: Person): Promise<void> {
  const api = session.api(ada);
  const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await api.post("/api-keys", { name: "Warehouse", type: "live", scopes: ["send"], domain });
  await api.post("/api-keys", { name: "Reports", type: "live", scopes: ["read"], expires_at: inAMonth });
  const old = await api.post<{ id: string }>("/api-keys", { name: "Old shop", type: "live", scopes: ["send"] });
  await api.delete(`/api-keys/${old.id}`);
}

/** Stored directly: no server of the pictures is at these addresses, and an outage takes hours. */
async function someWebhooks({ db, api }: ConsoleSession, ada: Person, sendId: string) {
  const make = (url: string, description: string, types: string[]) =>
    api(ada).post<{ webhook_id: string }>("/webhooks", { url, description, types });
  const outcomes = ["send.delivered", "send.bounced", "send.complained"];
  const { webhook_id: shopId } = await make("https://shop.fernhill.example/hooks/postern", "web shop", outcomes);
  const { webhook_id: webhookId } = await make(
    "https://crm.fernhill.example/mail/events",
    "customer records",
    outcomes,
  );
  const old = await make("https://old.fernhill.example/postern", "before the move", ["send.failed"]);
  await api(ada).patch(`/webhooks/${old.webhook_id}`, { enabled: false });
  await api(ada).post(`/webhooks/${webhookId}/rotate`, { overlap_seconds: 86_400 });
  const [delivery] = await db.query<{ id: string }>({
    name: "deliver-to-webhooks",
    text: `
      with failing as (
        update webhook_endpoints set failing_since = now() - interval '190 minutes' where id = $2
      ), given as materialized (
        select new_id_at(now() - number * interval '7 minutes') as id, endpoint.id as endpoint_id, number,
          (array['send.delivered', 'send.delivered', 'send.bounced', 'send.complained'])[number % 4 + 1] as type,
          endpoint.id = $2 and number <= 26 as is_late
        from unnest($1::uuid[]) as endpoint (id)
        cross join generate_series(1, 400) as number
        where number > 1 or endpoint.id = $2
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, envelope)
        select id, id, $3, 'live', type, time_of_id(id), $4, $5
        from given
      ), queued as (
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state, attempt, due_at)
        select id, $3, endpoint_id, id, 'pending', 4, now() + number * interval '9 minutes'
        from given
        where is_late
      ), attempted as (
        insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt, duration_ms, status, answer, failure, url, signature)
        select new_id_at(time_of_id(given.id) + made.attempt * interval '1 minute'), given.id, $3, given.endpoint_id, made.attempt,
          140 + given.number % 90, case when is_late then 503 else 200 end, case when is_late then $6 else 'ok' end,
          case when is_late then 'The endpoint answered 503.' end, 'https://crm.fernhill.example/mail/events',
          'v1,' || encode(sha256(given.id::text::bytea), 'base64')
        from given
        cross join generate_series(1, case when is_late then 4 else 1 end) as made (attempt)
      ), stored as (
        insert into webhook_deliveries
          (id, account_id, endpoint_id, notification_id, public_id, type, send_id, state, finished_at, duration_ms)
        select id, $3, endpoint_id, id, id, type, $4, case when is_late then 'pending' else 'delivered' end,
          case when not is_late then time_of_id(id) end, case when not is_late then 140 + number % 90 end
        from given
      )
      select id
      from given
      where endpoint_id = $2
        and number = 2`,
    values: [
      [shopId, webhookId],
      webhookId,
      ada.accountId,
      sendId,
      JSON.stringify({
        type: "send.bounced",
        timestamp: new Date().toISOString(),
        mode: "live",
        data: {
          send: { id: sendId, status: "bounced", from: `orders@${domain}`, subject: "Your order FB-20498 has shipped" },
          sequence: 2,
          recipient: "bob.marsh@oakmere.example",
          bounce: { type: "Permanent", subtype: "NoEmail", status: "5.1.1", suppressed: true },
        },
      }),
      '{"error":"maintenance","retry_after":900}',
    ],
  });
  return { webhookId, deliveryId: delivery?.id ?? "" };
}

async function anInvitation(session: ConsoleSession, ada: Person): Promise<string> {
  const invited = { email: "dora@fernhill.example", role: "developer" };
  const { link } = await session.api(ada).post<{ link: string | null }>("/invitations", invited);
  return link?.split("=").at(-1) ?? "";
}
