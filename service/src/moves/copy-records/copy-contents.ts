import { byteaArray, integerArray, uuidArray } from "../../db/array-param.ts";
import type { Database } from "../../db/database.ts";
import { indexLookup } from "../../db/stable-plan.ts";
import type { CopyDeps } from "./copy-deps.ts";
import type { PassOptions } from "./copy-table.ts";
import { isChanged } from "./horizon.ts";
import { readInSource } from "./read-in-source.ts";
import { resealContent } from "./reseal.ts";

const scannedPerPage = 10_000;
const maxBytes = 8 * 1024 * 1024;

interface StoredContent {
  /** The last send that was read has none when its content is not copied. */
  id: string;
  sealed: Buffer | null;
  attachmentBytes: number | null;
}

/**
 * Copies the contents that the source still has to `kept_contents` of the target, sealed again. Their retention begins there with the copy
 * (migration 0086), so those of sends that wait in the queue do not end meanwhile.
 */
export async function copyContents(deps: CopyDeps, { since, onRows }: PassOptions): Promise<void> {
  for (const mode of ["live", "test"]) {
    let after: string | undefined = "00000000-0000-0000-0000-000000000000";
    while (after !== undefined) {
      const page = await readContents(deps.source, { accountId: deps.accountId, mode, after, since });
      onRows("kept_contents", await writeContents(deps, page));
      after = page.at(-1)?.id;
    }
  }
}

/**
 * 1. `next`: sends in the order of their ids. The send and its content are one commit, so only a send that changed can have a new one. The
 *    exception is that of a scheduled send, which gets its row when it becomes due.
 * 2. `sized`: the sizes of their contents, which PostgreSQL knows without reading them.
 * 3. The contents that fit into the page, and the last send that it covers.
 */
async function readContents(
  source: Database,
  given: { accountId: string; mode: string; after: string; since: string | undefined },
): Promise<StoredContent[]> {
  return readInSource(source, (tx) =>
    tx.query<StoredContent>({
      name: "read-contents",
      text: `
        with next as materialized (
          select s.id, s.attachment_bytes, ${isChanged("s", "$4")} as is_changed, s.scheduled_at is not null as is_scheduled
          from sends s
          where s.account_id = $1
            and s.mode = $2
            and s.id > $3
          order by s.id
          limit ${scannedPerPage}
        ), sized as materialized (
          select next.id, next.attachment_bytes, kept.bytes is not null as is_kept, coalesce(kept.bytes, stored.bytes) as bytes,
            coalesce(sum(coalesce(kept.bytes, stored.bytes)) over (order by next.id rows between unbounded preceding and 1 preceding), 0)
              as bytes_before
          from next
          left join lateral ${indexLookup(`
            select octet_length(k.sealed) as bytes
            from kept_contents k
            where k.id = next.id
              and (next.is_changed or next.is_scheduled)
              and ${isChanged("k", "$4")}`)} as kept on true
          left join lateral ${indexLookup(`
            select octet_length(c.sealed) as bytes
            from send_contents c
            where c.id = next.id
              and (next.is_changed or next.is_scheduled)
              and ${isChanged("c", "$4")}`)} as stored on true
        ), taken as materialized (
          select id, attachment_bytes, is_kept, bytes
          from sized
          where bytes_before < ${maxBytes}
        )
        select taken.id, taken.attachment_bytes as "attachmentBytes",
          case
            when taken.bytes is null then null
            when taken.is_kept then (select k.sealed from kept_contents k where k.id = taken.id)
            else (select c.sealed from send_contents c where c.id = taken.id)
          end as sealed
        from taken
        where taken.bytes is not null
          or taken.id = (select max(id::text collate "C") from taken)::uuid
        order by taken.id`,
      values: [given.accountId, given.mode, given.after, given.since ?? null],
      isPlannedEachTime: true,
    }),
  );
}

async function writeContents({ inTarget, accountId, keys }: CopyDeps, page: StoredContent[]): Promise<number> {
  const contents = page.flatMap(({ id, sealed, attachmentBytes }) =>
    sealed === null ? [] : { id, attachmentBytes, sealed: resealContent(keys, accountId, id, sealed) },
  );
  if (contents.length === 0) return 0;
  await inTarget((tx) =>
    tx.query({
      name: "write-contents",
      text: `
        insert into kept_contents (id, sealed, counted_from, attachment_bytes)
        select id, sealed, now(), attachment_bytes
        from unnest($1::uuid[], $2::bytea[], $3::int[]) as given (id, sealed, attachment_bytes)
        order by id
        -- Contents never change. A copy that begins again keeps them as long as a new one.
        on conflict (id) do update
        set counted_from = excluded.counted_from`,
      values: [
        uuidArray(contents.map(({ id }) => id)),
        byteaArray(contents.map(({ sealed }) => sealed)),
        integerArray(contents.map(({ attachmentBytes }) => attachmentBytes)),
      ],
    }),
  );
  return contents.length;
}
