import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import type { ErrorCode } from "../errors.ts";
import type { Mode } from "../mode.ts";
import type { LoggedProblem } from "./logged-request.ts";

export interface ListedRequest {
  id: string;
  at: string;
  mode: Mode;
  method: string;
  route: string;
  status: number;
  errorCode: ErrorCode | null;
  problems: LoggedProblem[] | null;
  apiKeyId: string | null;
  keyName: string | null;
  keyPrefix: string | null;
  userId: string | null;
  address: string | null;
  requestId: string;
}

export interface RequestFilter {
  /** Both included. */
  statuses?: { from: number; to: number } | undefined;
  errorCode?: ErrorCode | undefined;
  apiKeyId?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  requestId?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  before?: string | undefined;
  limit: number;
}

interface RequestPage {
  requests: ListedRequest[];
  nextBefore: string | undefined;
}

/** The most entries that one page reads for its filters; the caller continues with the next page. */
const maxScanned = 10_000;

/**
 * Entries of the last 7 days, newest first, from `before` on. `nextBefore` continues the list and is undefined at its end. A request id has
 * an index of its own.
 */
export async function listRequests(
  db: AccountDatabase,
  modes: readonly Mode[],
  filter: RequestFilter,
): Promise<RequestPage> {
  const { statuses, errorCode, apiKeyId, method, route, requestId, since, until, before, limit } = filter;
  const isFiltered = modes.length === 1 || [statuses, errorCode, apiKeyId, method, route].some(Boolean);
  const scanLimit = isFiltered ? maxScanned : limit + 1;
  const rows = await db.query<ListedRequest & ScannedRow>({
    name: requestId === undefined ? "list-requests" : "find-requests",
    text: `
      select page.*, key.name as "keyName", key.key_prefix as "keyPrefix"
      from (
        select *
        from (
          select id, time_of_id(id) as at, mode, method, route, status, error_code as "errorCode", problems, api_key_id as "apiKeyId",
            user_id as "userId", address, request_id as "requestId", row_number() over (order by id desc) as "scanPosition",
            mode = any ($4)
              and ($5::smallint is null or status between $5 and $6)
              and ($7::text is null or error_code = $7)
              and ($8::uuid is null or api_key_id = $8)
              and ($9::text is null or method = $9)
              and ($10::text is null or route = $10) as "isWanted"
          from (
            select *
            from logged_requests
            where account_id = $1
              and id >= first_id_at(greatest($11::timestamptz, now() - interval '168 hours'))
              and ($12::timestamptz is null or id < first_id_at($12))
              and ($13::uuid is null or id < $13)
              and ${requestId === undefined ? "$14::text is null" : "request_id = $14"}
            order by id desc
            limit $2
          ) as entries
        ) as scanned
        where "isWanted" or "scanPosition" = $2
        order by id desc
        limit $3
      ) as page
      left join api_keys key on key.id = page."apiKeyId" and key.account_id = $1
      order by page.id desc`,
    values: [
      db.accountId,
      scanLimit,
      limit + 2,
      modes,
      statuses?.from ?? null,
      statuses?.to ?? null,
      errorCode ?? null,
      apiKeyId ?? null,
      method ?? null,
      route ?? null,
      since ?? null,
      until ?? null,
      before ?? null,
      requestId ?? null,
    ],
    isPlannedEachTime: true,
    isReadInOrder: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { requests: wanted, nextBefore };
}
