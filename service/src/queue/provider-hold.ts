import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { Hold, Quota } from "../provider/email-provider.ts";

/** Stops claiming. The first reason opens the hold, a later one replaces it. Returns whether the reason changed. */
export async function holdProvider(db: Queryable, mode: Mode, reason: Hold): Promise<boolean> {
  const rows = await db.query({
    name: "hold-provider",
    text: `
      update provider_state
      set hold_reason = $2,
          held_since = coalesce(held_since, now()),
          probe_at = coalesce(probe_at, now() + interval '1 minute')
      where mode = $1
        and hold_reason is distinct from $2
      returning mode`,
    values: [mode, reason],
  });
  return rows.length > 0;
}

/**
 * Claiming continues, unless the operator holds mail too. Returns how long the hold was on; undefined when it was off. Time in which
 * both holds were on is added once, by the later release.
 */
export async function releaseProvider(db: Queryable, mode: Mode): Promise<{ heldSeconds: number } | undefined> {
  const [row] = await db.query<{ heldSeconds: number }>({
    name: "release-provider",
    text: `
      with held as materialized (
        select mode, held_since as since
        from provider_state
        where mode = $1 and hold_reason is not null
        for update
      )
      update provider_state p
      set hold_reason = null, held_since = null, probe_at = null,
          held_for = held_for + greatest(interval '0', coalesce(p.operator_held_since, now()) - held.since)
      from held
      where p.mode = held.mode
      returning extract(epoch from now() - held.since)::float8 as "heldSeconds"`,
    values: [mode],
  });
  return row;
}

/** While the provider is held, one worker a minute may claim one ready send as a probe. Returns whether this worker may. */
export async function takeProbe(db: Queryable, mode: Mode): Promise<boolean> {
  const rows = await db.query({
    name: "take-probe",
    text: `
      update provider_state
      set probe_at = now() + interval '1 minute'
      where mode = $1
        and hold_reason is not null
        and operator_held_since is null
        and (probe_at <= now() or probe_at > now() + interval '2 minutes')
        and exists (select from send_queue where state = 'ready' and mode = $1)
      returning mode`,
    values: [mode],
  });
  return rows.length > 0;
}

/** The probe was not submitted and proves nothing: the next one need not wait a minute. */
export async function returnProbe(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "return-probe",
    text: `
      update provider_state
      set probe_at = now()
      where mode = $1
        and hold_reason is not null`,
    values: [mode],
  });
}

type StoredQuota = Pick<Quota, "perSecond" | "enforcementStatus"> & Partial<Pick<Quota, "perDay" | "usedToday">>;

/** Stores the rate that the provider allows, by which all workers pace, and what it thinks of the AWS account. */
export async function storeQuota(
  db: Queryable,
  mode: Mode,
  { perSecond, enforcementStatus, perDay, usedToday }: StoredQuota,
): Promise<void> {
  await db.query({
    name: "store-quota",
    text: `
      update provider_state
      set max_per_second = $2, quota_read_at = now(), enforcement_status = $3, enforcement_read_at = now(),
        max_per_day = $4, used_per_day = $5
      where mode = $1`,
    values: [mode, perSecond, enforcementStatus ?? null, perDay ?? null, usedToday ?? null],
  });
}
