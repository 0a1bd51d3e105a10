import type { ProofTools } from "../../../scripts/proof.ts";
import type { Database } from "../../src/db/database.ts";
import { makePartitionsAhead } from "../../src/storage/partitions.ts";

/** Sends of a year with numbers, newest first from 0. The number decides everything that a search can ask for. */
export interface NumberedSends {
  count: number;
  newestMs: number;
  /** Every second send is of the first account; the others take turns. */
  accountIds: string[];
}

export interface NumberedSend {
  accountId: string;
  recipient: string;
  providerMessageId: string;
}

const yearMs = 365 * 86_400_000;
const hourMs = 3_600_000;
/** Small enough for the time limit of a statement on a busy machine. */
const batchSize = 5_000;
/** One send in ten was submitted an hour after its acceptance, one in ten is a test mail. */
const latesIn = 10;

export function sendOf(number: number, { count, newestMs, accountIds }: NumberedSends): NumberedSend {
  const others = accountIds.length - 1;
  const accountId = accountIds[number % 2 === 0 ? 0 : 1 + (((number - 1) / 2) % others)] ?? "";
  const acceptedMs = newestMs - Math.floor((number * yearMs) / count);
  const submitted = (acceptedMs + (number % latesIn === 0 ? hourMs : 300)).toString(16).padStart(12, "0");
  const providerMessageId = `0102${submitted}-${String(number).padStart(36, "0")}-000000`;
  return { accountId, recipient: `to-${number}@example.test`, providerMessageId };
}

/** Stores them as sends from before the index: without search entries. */
export async function storeNumberedSends(
  db: Database,
  sends: NumberedSends,
  progress: ProofTools["progress"],
): Promise<void> {
  await coverTheYear(db, sends.newestMs);
  await change(db, "alter table sends disable trigger sends_indexed");
  for (let from = 0; from < sends.count; from += batchSize) {
    const to = Math.min(sends.count, from + batchSize);
    await storeBatch(db, sends, from, to);
    progress(`${to} of ${sends.count} sends stored`);
  }
  await change(db, "update search_progress set indexed_from = 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
  await change(db, "alter table sends enable trigger sends_indexed");
}

/** Gives entries of the last 13 days their fine buckets: so many may not be merged yet. `db` needs a long time limit. */
export async function unmergeNewest(db: Database): Promise<void> {
  const moment = "first_id_at(now() - interval '13 days')";
  await change(
    db,
    `update send_searches
     set key = (fine_bucket(send_id) << 36) | (key & ((1::bigint << 36) - 1))
     where key >= (fine_bucket(${moment}) >> 10) << 36
       and send_id >= ${moment}`,
  );
  await change(db, `update search_progress set merging_bucket = fine_bucket(${moment}) >> 10`);
  await change(db, "vacuum (analyze) send_searches");
}

/** A new database has partitions from the last month on. */
async function coverTheYear(db: Database, newestMs: number): Promise<void> {
  const partitions = await db.query<{ name: string }>({
    name: "partitions-to-replace",
    text: `select name from partition_ranges where parent = 'sends' and starts_at is not null`,
  });
  for (const { name } of partitions) await change(db, `drop table ${name}`);
  for (const at of [newestMs - yearMs, newestMs]) {
    const { failures } = await makePartitionsAhead(db, "month", new Date(at).toISOString());
    if (failures.length > 0) throw failures[0]?.error;
  }
}

async function storeBatch(db: Database, { count, newestMs, accountIds }: NumberedSends, from: number, to: number) {
  await db.query({
    name: "store-numbered-sends",
    text: `
      insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at,
        provider_message_id)
      select new_id_at(at), ($6::uuid[])[case when number % 2 = 0 then 1 else 2 + ((number - 1) / 2) % (cardinality($6::uuid[]) - 1) end],
        case when number % 10 = 7 then 'test' else 'live' end, 'delivered', 'Shop <orders@shop.test>',
        array['to-' || number || '@example.test'], 1, 0, 'Your order is on its way', at, at,
        '0102' || lpad(to_hex(ms + case when number % ${latesIn} = 0 then ${hourMs} else 300 end), 12, '0')
          || '-' || lpad(number::text, 36, '0') || '-000000'
      from generate_series($1::bigint, $2::bigint - 1) as number
      cross join lateral (select $3::bigint - number * $5::bigint / $4::bigint as ms) as accepted
      cross join lateral (select timestamptz 'epoch' + ms * interval '1 ms' as at) as moment
      order by number desc`,
    values: [from, to, newestMs, count, yearMs, accountIds],
  });
}

export async function change(db: Database, text: string): Promise<void> {
  await db.query({ name: text, text, isPlannedEachTime: true });
}
