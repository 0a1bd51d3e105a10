import type { AccountDatabase } from "../db/database.ts";
import { type LookedAt, readOn } from "../db/read-on.ts";
import type { Mode } from "./send-request.ts";
import { type SendRecord, sendRecordColumns } from "./send-store.ts";

export interface SendFilter {
  status: SendRecord["status"] | undefined;
  /** As recipients are compared: in lower case, domain as A-labels. */
  recipient: string | undefined;
  /** The domain of the sender in every spelling that it may have been given in, lower-case. */
  fromDomains: string[] | undefined;
  providerMessageId: string | undefined;
  before: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
}

/** So many are looked at in one go for what no index knows; whoever wants more goes on from there. */
const lookedAtMost = 10_000;

/**
 * Newest first, from a place in the list on. `nextBefore` is the place to go on from, undefined at the end; there may be
 * more even when fewer than `limit` were found.
 */
export async function listSends(
  db: AccountDatabase,
  mode: Mode,
  filter: SendFilter,
): Promise<{ sends: SendRecord[]; nextBefore: string | undefined }> {
  const { status, recipient, fromDomains, providerMessageId, before, since, until, limit } = filter;
  const isFiltered = [status, recipient, fromDomains, providerMessageId].some((wanted) => wanted !== undefined);
  const lookAt = isFiltered ? lookedAtMost : limit + 1;
  const rows = await db.query<SendRecord & LookedAt>({
    name: "list-sends",
    text: `
      select *
      from (
        select *, row_number() over (order by id desc) as place, ($7::text is null or status = $7) and "isMatch" as "isWanted"
        from (
          select ${sendRecordColumns},
            ($8::text is null or $8 = any (coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[])))
            and ($9::text[] is null or lower(substring(s.from_address from '@([^@>]+)>?$')) = any ($9))
            and ($10::text is null or s.provider_message_id = $10) as "isMatch"
          from sends s
          where s.account_id = $1
            and s.mode = $2
            and ($3::uuid is null or s.id < $3)
            and ($4::timestamptz is null or s.id >= first_id_at($4))
            and ($5::timestamptz is null or s.id < first_id_at($5))
          order by s.id desc
          limit $6
        ) as candidates
      ) as looked_at
      where "isWanted" or place = $6
      order by id desc
      limit $11`,
    values: [
      db.accountId,
      mode,
      before ?? null,
      since ?? null,
      until ?? null,
      lookAt,
      status ?? null,
      recipient ?? null,
      fromDomains ?? null,
      providerMessageId ?? null,
      limit + 2,
    ],
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = readOn(rows, { limit, lookAt });
  return { sends: wanted, nextBefore };
}
