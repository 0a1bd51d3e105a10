import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";

export interface UsageTotals {
  mode: Mode;
  acceptedSends: number;
  /** By outcome, and those that were accepted. */
  recipients: Record<string, number>;
  /** Deliveries by duration, one number for each bucket; null before the first. */
  deliveryTimes: number[] | null;
}

/** What all accounts together have used so far, except what is not folded yet. */
export function readUsageTotals(db: Queryable): Promise<UsageTotals[]> {
  return db.query<UsageTotals>({
    name: "read-usage-totals",
    text: `
      select mode, accepted_sends as "acceptedSends", delivery_times::float8[] as "deliveryTimes",
        jsonb_build_object('accepted', accepted_recipients, 'delivered', delivered, 'bounced_hard', bounced_hard,
          'bounced_soft', bounced_soft, 'complained', complained, 'suppressed', suppressed, 'failed', failed, 'delayed', delayed)
          as recipients
      from usage_totals
      order by mode`,
  });
}
