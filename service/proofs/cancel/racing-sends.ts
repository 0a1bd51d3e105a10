import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import { sealContent } from "../../src/sends/content.ts";
import { testContentKeys } from "../../test/send-builders.ts";
import type { Dice } from "../seeded-random.ts";

export interface RacingSend {
  id: string;
  isToBeCancelled: boolean;
  /** Milliseconds since 1970, by the clock of the database; undefined when it does not expire. */
  expiresAt: number | undefined;
  /** The place of the acknowledged cancellation in the order of this process. */
  cancelledAt: number | undefined;
}

/** The sandbox accepts a mail to `unknown` without an answer, and throttles the first attempt of one to `throttled`. */
const recipients = ["delivered", "delivered", "delivered", "unknown", "throttled"];

/** Test mail of one account that becomes ready within two seconds; two of three are to be cancelled, and half of it expires meanwhile. */
export async function storeRacingSends(
  db: Database,
  { accountId, count, dice }: { accountId: string; count: number; dice: Dice },
): Promise<RacingSend[]> {
  const name = randomBytes(6).toString("hex");
  const rows = Array.from({ length: count }, (_, number) => {
    const id = randomUUIDv7();
    const to = [`${recipients[dice.roll(recipients.length)]}+${number}-${name}@sandbox.test`];
    const contents = { cc: [], bcc: [], replyTo: undefined, subject: "Your code", html: undefined, text: "123456" };
    const from = { name: undefined, address: "codes@sandbox.test" };
    return {
      id,
      to: to[0] ?? "",
      fairInMs: dice.roll(2_000),
      expiresInMs: dice.roll(2) === 0 ? null : 100 + dice.roll(3_000),
      isToBeCancelled: dice.roll(3) > 0,
      sealed: sealContent(
        testContentKeys.current,
        { accountId, sendId: id },
        { from, to, ...contents },
        { expires: true },
      ),
    };
  });
  const stored = await db.query<{ id: string; expiresAt: number | null }>({
    name: "store-racing-sends",
    text: `
      with given as materialized (
        select id, recipient, fair_in_ms, now() + make_interval(secs => expires_in_ms / 1000.0) as expires_at, sealed
        from unnest($2::uuid[], $3::text[], $4::integer[], $5::integer[], $6::bytea[])
          as given (id, recipient, fair_in_ms, expires_in_ms, sealed)
        order by id
      ), stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, expires_at)
        select id, $1, 'test', 'queued', 'codes@sandbox.test', array[recipient], 1, 0, 'Your code', expires_at
        from given
      ), kept as (
        insert into send_contents (id, sealed)
        select id, sealed
        from given
      )
      insert into send_queue (id, account_id, mode, state, fair_at, due_at, from_domain, recipients, counted_recipients, expires_at)
      select id, $1, 'test', 'waiting', now(), now() + make_interval(secs => fair_in_ms / 1000.0), 'sandbox.test', array[recipient], 1,
        expires_at
      from given
      returning id, (1000 * extract(epoch from expires_at))::float8 as "expiresAt"`,
    values: [
      accountId,
      rows.map(({ id }) => id),
      rows.map(({ to }) => to),
      rows.map(({ fairInMs }) => fairInMs),
      rows.map(({ expiresInMs }) => expiresInMs),
      rows.map(({ sealed }) => sealed),
    ],
  });
  const expiryOf = new Map(stored.map(({ id, expiresAt }) => [id, expiresAt ?? undefined]));
  return rows.map(({ id, isToBeCancelled }) => {
    return { id, isToBeCancelled, expiresAt: expiryOf.get(id), cancelledAt: undefined };
  });
}
