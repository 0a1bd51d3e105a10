import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import type { Mode } from "../mode.ts";
import type { SendFilter } from "./send-filter.ts";
import type { SendRecord } from "./send-store.ts";

export interface SendPage {
  sends: SendRecord[];
  nextBefore: string | undefined;
}

/** SQL: whether the send `s` matches the filter, apart from its status, which is computed. */
export const matchesFilter = `($6::text is null or $6 = any (coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[])))
              and ($7::text[] is null or lower(substring(s.from_address from '@([^@>]+)>?$')) = any ($7))
              and ($8::text is null or s.provider_message_id = $8)
              and ($9::uuid is null or s.api_key_id = $9)
              and ($10::text is null or s.tags @> array[$10])`;

interface Candidates {
  name: string;
  /** SQL: the sends that the page may contain, with `isMatch`. */
  candidates: string;
  scanLimit: number;
  /** The parameters from `$11` on. */
  values: unknown[];
  /** Where the next page continues after the last candidate that this one read. */
  continuesAfter: (last: Candidate) => string | undefined;
}

interface Candidate extends ScannedRow {
  nextId: string | null;
}

export async function readPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { status, recipient, fromDomains, providerMessageId, apiKeyId, tag, limit }: SendFilter,
  { name, candidates, scanLimit, values, continuesAfter }: Candidates,
): Promise<SendPage> {
  const rows = await db.query<SendRecord & Candidate>({
    name,
    text: `
      select *
      from (
        select *, row_number() over (order by id desc) as "scanPosition", lead(id) over (order by id desc) as "nextId",
          ($4::text is null or status = $4) and "isMatch" as "isWanted"
        from (
          select *
          from (
            ${candidates}
          ) as entries
          order by id desc
          limit $3 + 1
        ) as candidates
      ) as scanned
      where "scanPosition" <= $3
        and ("isWanted" or "scanPosition" = $3)
      order by id desc
      limit $5`,
    values: [
      db.accountId,
      modes,
      scanLimit,
      status ?? null,
      limit + 2,
      recipient ?? null,
      fromDomains ?? null,
      providerMessageId ?? null,
      apiKeyId ?? null,
      tag ?? null,
      ...values,
    ],
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  const last = rows.find((row) => row.scanPosition === scanLimit);
  return {
    sends: wanted,
    nextBefore: last !== undefined && nextBefore === last.id ? continuesAfter(last) : nextBefore,
  };
}
