import type { Queryable } from "../db/database.ts";

/** Stops all claiming until `releaseByOperator`, probes included. A second call only replaces the note. */
export async function holdByOperator(db: Queryable, note: string | undefined): Promise<void> {
  await db.query({
    name: "hold-by-operator",
    text: `
      update provider_state
      set operator_held_since = coalesce(operator_held_since, now()), operator_note = $1`,
    values: [note ?? null],
  });
}

/** Returns how long the hold was on; undefined when it was off. Time that a provider hold covers as well is added by its release. */
export async function releaseByOperator(db: Queryable): Promise<{ heldSeconds: number } | undefined> {
  const [row] = await db.query<{ heldSeconds: number }>({
    name: "release-by-operator",
    text: `
      with held as materialized (
        select mode, operator_held_since as since
        from provider_state
        where operator_held_since is not null
        order by mode
        for update
      )
      update provider_state p
      set operator_held_since = null, operator_note = null,
          held_for = held_for + greatest(interval '0', coalesce(p.held_since, now()) - held.since)
      from held
      where p.mode = held.mode
      returning extract(epoch from now() - held.since)::float8 as "heldSeconds"`,
  });
  return row;
}
