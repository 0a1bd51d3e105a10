import type { Actor } from "../actor.ts";
import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import type { AuditAction } from "./audit-actions.ts";
import type { AuditTargetKind } from "./audit-targets.ts";

export interface AuditEntry {
  id: string;
  at: string;
  actorKind: Actor["kind"];
  actorId: string | null;
  actorName: string | null;
  action: AuditAction;
  targetKind: string;
  targetId: string | null;
  targetName: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  address: string | null;
  requestId: string | null;
  reason: string | null;
}

export interface AuditFilter {
  /** An id or a name. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  /** An id or a name. */
  target?: string | undefined;
  targetKind?: AuditTargetKind | undefined;
  before?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit: number;
}

/** The most entries that one page reads for its filters; the caller continues with the next page. */
const maxScanned = 10_000;

export interface AuditPage {
  entries: AuditEntry[];
  nextBefore: string | undefined;
}

/** Newest first, from `before` on. `nextBefore` continues the list and is undefined at its end. */
export async function listAudit(db: AccountDatabase, filter: AuditFilter): Promise<AuditPage> {
  const { actor, action, target, targetKind, before, since, until, limit } = filter;
  const isFiltered = [actor, action, target, targetKind, since, until].some((wanted) => wanted !== undefined);
  const scanLimit = isFiltered ? maxScanned : limit + 1;
  const rows = await db.query<AuditEntry & ScannedRow>({
    name: "list-audit",
    text: `
      select *
      from (
        select id, at, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action,
          target_kind as "targetKind", target_id as "targetId", target_name as "targetName", before, after, address,
          request_id as "requestId", reason, row_number() over (order by id desc) as "scanPosition",
          ($4::text is null or actor_id = $4 or lower(actor_name) = lower($4))
            and ($5::text is null or action = $5)
            and ($6::text is null or target_id = $6 or lower(target_name) = lower($6))
            and ($12::text is null or target_kind = $12)
            and ($8::timestamptz is null or at >= $8)
            and ($9::timestamptz is null or at < $9) as "isWanted"
        from (
          select *
          from audit_entries
          where account_id = $1
            and ($7::uuid is null or id < $7)
            and ($10::timestamptz is null or id >= first_id_at($10))
            and ($11::timestamptz is null or id < first_id_at($11))
          order by id desc
          limit $2
        ) as entries
      ) as scanned
      where "isWanted" or "scanPosition" = $2
      order by id desc
      limit $3`,
    values: [
      db.accountId,
      scanLimit,
      limit + 2,
      actor ?? null,
      action ?? null,
      target ?? null,
      before ?? null,
      since ?? null,
      until ?? null,
      since === undefined ? null : startOfMinute(since),
      until === undefined ? null : nextMillisecond(until),
      targetKind ?? null,
    ],
    isPlannedEachTime: true,
    isReadInOrder: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { entries: wanted, nextBefore };
}

/** No entry from this time on has an earlier id: that of a failed log-in is of the start of its minute, and of others of its millisecond. */
function startOfMinute(time: string): string {
  return new Date(Math.floor(Date.parse(time) / 60_000) * 60_000).toISOString();
}

function nextMillisecond(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}
