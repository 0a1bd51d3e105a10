import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import { ofEachMode } from "../db/of-each-mode.ts";
import type { Mode } from "../mode.ts";
import { type SendRecord, sendRecordColumns } from "./send-store.ts";

export interface SendFilter {
  status: SendRecord["status"] | undefined;
  /** In the form in which recipients are compared: lower case, domain as A-labels. */
  recipient: string | undefined;
  /** Every spelling that callers may have used for the domain of the sender, in lower case. */
  fromDomains: string[] | undefined;
  providerMessageId: string | undefined;
  apiKeyId: string | undefined;
  before: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
}

/** The most sends that one page scans for a filter without an index; the caller continues with the next page. */
const maxScanned = 10_000;

/**
 * Newest first, from `before` on. `nextBefore` continues the list and is undefined at its end. A page with fewer than `limit` sends
 * is not always the last one.
 */
export async function listSends(
  db: AccountDatabase,
  modes: readonly Mode[],
  filter: SendFilter,
): Promise<{ sends: SendRecord[]; nextBefore: string | undefined }> {
  const { status, recipient, fromDomains, providerMessageId, apiKeyId, before, since, until, limit } = filter;
  const isFiltered = [status, recipient, fromDomains, providerMessageId, apiKeyId].some(
    (wanted) => wanted !== undefined,
  );
  const scanLimit = isFiltered ? maxScanned : limit + 1;
  const rows = await db.query<SendRecord & ScannedRow>({
    name: "list-sends",
    text: `
      select *
      from (
        select *, row_number() over (order by id desc) as "scanPosition", ($7::text is null or status = $7) and "isMatch" as "isWanted"
        from (
          select *
          from (
            ${ofEachMode(
              (mode) => `
            select ${sendRecordColumns},
              ($8::text is null or $8 = any (coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[])))
              and ($9::text[] is null or lower(substring(s.from_address from '@([^@>]+)>?$')) = any ($9))
              and ($10::text is null or s.provider_message_id = $10)
              and ($12::uuid is null or s.api_key_id = $12) as "isMatch"
            from sends s
            where s.account_id = $1
              and s.mode = ${mode}
              and ($3::uuid is null or s.id < $3)
              and ($4::timestamptz is null or s.id >= first_id_at($4))
              and ($5::timestamptz is null or s.id < first_id_at($5))
            order by s.id desc
            limit $6`,
            )}
          ) as entries
          order by id desc
          limit $6
        ) as candidates
      ) as scanned
      where "isWanted" or "scanPosition" = $6
      order by id desc
      limit $11`,
    values: [
      db.accountId,
      modes,
      before ?? null,
      since ?? null,
      until ?? null,
      scanLimit,
      status ?? null,
      recipient ?? null,
      fromDomains ?? null,
      providerMessageId ?? null,
      limit + 2,
      apiKeyId ?? null,
    ],
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { sends: wanted, nextBefore };
}
