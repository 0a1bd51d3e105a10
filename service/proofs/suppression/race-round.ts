import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import type { Feedback } from "../../src/provider/feedback.ts";
import { sealContent } from "../../src/sends/content.ts";
import { testContentKeys } from "../../test/send-builders.ts";
import type { Dice } from "../seeded-random.ts";

/** The state from which a send is claimed. */
export const claimKinds = ["first claims", "retries", "in-doubt resends"] as const;

export interface RacingSend {
  id: string;
  kind: (typeof claimKinds)[number];
  suppressed: string;
  /** Recipients of the same send that are not suppressed. */
  others: string[];
  /** The bounce of an earlier mail, which suppresses the address. */
  bounce: Feedback;
  /** When the commit of the suppression was acknowledged; undefined until then. */
  acknowledgedAt: number | undefined;
}

interface Round {
  accountId: string;
  fromDomain: string;
  count: number;
  dice: Dice;
}

/** Stores sends in each of the three states, and an earlier mail to all addresses that will be suppressed. */
export async function aRaceRound(db: Database, { accountId, fromDomain, count, dice }: Round): Promise<RacingSend[]> {
  const name = randomBytes(6).toString("hex");
  const suppressedAddresses = Array.from({ length: count }, (_, number) => `v-${number}-${name}@example.test`);
  const earlier = await storeEarlier(db, accountId, suppressedAddresses);
  const sends = suppressedAddresses.map((suppressed, number): RacingSend => {
    const others = number % 2 === 0 ? [`b-${number}-${name}@example.test`] : [];
    const kind = claimKinds[number % claimKinds.length] ?? "retries";
    const bounce = { ...earlier, recipients: [suppressed], feedbackId: `f-${number}-${name}` };
    return { id: randomUUIDv7(), kind, suppressed, others, bounce, acknowledgedAt: undefined };
  });
  await storeRacing(db, sends, { accountId, fromDomain, dice });
  return sends;
}

async function storeEarlier(db: Database, accountId: string, recipients: string[]) {
  const id = randomUUIDv7();
  await db.query({
    name: "store-earlier",
    text: `
      insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, sent_at,
        provider_message_id)
      values ($1, $2, 'live', 'sent', 'orders@shop.test', $3, $4, 0, 'Before', now(), $5)`,
    values: [id, accountId, recipients, recipients.length, `m-${id}`],
  });
  const at = new Date().toISOString();
  return {
    kind: "bounce",
    bounce: { type: "Permanent", subtype: "General" },
    providerMessageId: `m-${id}`,
    sendId: id,
    attempt: 1,
    submittedAt: at,
    at,
  } as const;
}

const states = { "first claims": "ready", retries: "waiting", "in-doubt resends": "in-doubt" } as const;

async function storeRacing(db: Database, sends: RacingSend[], { accountId, fromDomain, dice }: Omit<Round, "count">) {
  const rest = { cc: [], bcc: [], replyTo: undefined, subject: "Your order", html: undefined, text: "Here it is." };
  const from = { name: undefined, address: `orders@${fromDomain}` };
  const rows = sends.map(({ id, kind, suppressed, others }, number) => {
    const to = [suppressed, ...others];
    return {
      id,
      recipients: to.join(),
      state: states[kind],
      dueInMs: kind === "retries" ? dice.roll(60) : -10_000,
      // Roughly the order of the suppressions, so that claims coincide with the suppression of their recipient.
      fairInMs: 10 * number + dice.roll(50),
      sealed: sealContent(testContentKeys.current, { accountId, sendId: id }, { from, to, ...rest }),
    };
  });
  await db.query({
    name: "store-racing",
    text: `
      with given as materialized (
        select id, string_to_array(recipients, ',') as recipients, state, due_in_ms, fair_in_ms, sealed
        from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::bytea[])
          as given (id, recipients, state, due_in_ms, fair_in_ms, sealed)
        order by id
      ), stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
        select id, $7::uuid, 'live', 'queued', 'orders@' || $8::text, recipients, cardinality(recipients), 0, 'Your order'
        from given
      ), kept as (
        insert into send_contents (id, sealed)
        select id, sealed
        from given
      )
      insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, attempted_at, from_domain, recipients)
      select id, $7::uuid, 'live', state, now() + make_interval(secs => fair_in_ms / 1000.0),
        case when state <> 'ready' then now() + make_interval(secs => due_in_ms / 1000.0) end,
        case when state = 'ready' then 0 else 1 end, case when state <> 'ready' then now() - interval '10 seconds' end,
        $8::text, recipients
      from given`,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ recipients }) => recipients),
      rows.map(({ state }) => state),
      rows.map(({ dueInMs }) => dueInMs),
      rows.map(({ fairInMs }) => fairInMs),
      rows.map(({ sealed }) => sealed),
      accountId,
      fromDomain,
    ],
  });
}
