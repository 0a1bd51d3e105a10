import { createAdmission } from "../db/admission.ts";
import { textArray, uuidArray } from "../db/array-param.ts";
import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { RateUsage } from "./accept-batch.ts";
import { rateLimitStep } from "./rate-limit.ts";
import { createRateRefusals } from "./rate-refusals.ts";

interface Validated {
  accountId: string;
  mode: Mode;
}

export interface ValidationCount {
  usage: RateUsage;
  /** Undefined when the request is admitted. */
  retryMs: number | undefined;
}

export type CountValidation = (validated: Validated) => Promise<ValidationCount>;

const maxItems = 200;

/**
 * Counts the requests of POST /send/validate. They have the limits of the account for sends, in windows of their own that all processes
 * share: validating a mail does not use up the limit for sending it. Requests that arrive together share a statement, so that a flood
 * occupies one connection.
 */
export function createValidationCount(db: Queryable): CountValidation {
  const refusals = createRateRefusals();
  const count = createBatch({
    run: (validated: Validated[]) => countAll(db, validated),
    maxItems,
    maxBytes: 1024 * 1024,
    admission: createAdmission({ maxRoundTrips: 1, minInProgress: maxItems }),
    sizeOf: () => 100,
  });
  return async (validated) => {
    const refusal = refusals.find(validated);
    if (refusal !== undefined) return refusal;
    const askedAt = performance.now();
    const counted = await count(validated);
    if (counted.retryMs !== undefined) {
      refusals.remember(validated, counted.retryMs - (performance.now() - askedAt), counted.usage);
    }
    return counted;
  };
}

interface CountRow {
  position: number;
  isAdmitted: boolean;
  retryMs: number;
  limits: number[];
  remaining: number[];
}

/** The rows of `rate_windows` have the modes `validate-live` and `validate-test`, which no other statement reads. */
async function countAll(db: Queryable, validated: Validated[]): Promise<ValidationCount[]> {
  const rows = await db.query<CountRow>({
    name: "count-validations",
    text: `
      with allowed as materialized (
        select r.position, r.account_id, r.mode, account.limits, 0::bigint as recipient_sum, true as ends_request,
          row_number() over (partition by r.account_id, r.mode order by r.position) as position_in_account
        from unnest($1::uuid[], $2::text[]) with ordinality as r (account_id, mode, position)
        cross join lateral ${indexLookup(`
          select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as limits
          from accounts a
          where a.id = r.account_id`)} account
      ), counted as (${rateLimitStep(() => "clock_timestamp()")}
      )
      select a.position::integer, a.position_in_account <= c.granted as "isAdmitted", c.retry_ms as "retryMs", a.limits,
        array(
          select left_over + greatest(0, c.granted - a.position_in_account)
          from unnest(c.remaining) with ordinality as windows (left_over, position)
          order by position
        )::integer[] as remaining
      from allowed a
      join counted c on c.account_id = a.account_id and c.mode = a.mode
      order by a.position`,
    values: [
      uuidArray(validated.map(({ accountId }) => accountId)),
      textArray(validated.map(({ mode }) => `validate-${mode}`)),
    ],
  });
  return rows.map(({ isAdmitted, retryMs, limits, remaining }) => ({
    usage: { limits, remaining },
    retryMs: isAdmitted ? undefined : retryMs,
  }));
}
