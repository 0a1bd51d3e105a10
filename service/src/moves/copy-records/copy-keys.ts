import type { KeyObject } from "node:crypto";
import { idempotencyHash } from "../../accept/fingerprint.ts";
import { getFingerprintKey } from "../../accept/fingerprint-keys.ts";
import { uuidBytesArray } from "../../db/array-param.ts";
import type { Database } from "../../db/database.ts";
import { indexLookup } from "../../db/stable-plan.ts";
import type { Mode } from "../../mode.ts";
import { allKeys } from "./copied-tables.ts";
import type { CopyDeps } from "./copy-deps.ts";
import { copyTable, type PassOptions } from "./copy-table.ts";
import { isChanged } from "./horizon.ts";
import { readInSource } from "./read-in-source.ts";
import { type Columns, writeRows } from "./write-rows.ts";

const scannedPerPage = 5_000;
const modes: Mode[] = ["live", "test"];

/**
 * Copies the idempotency keys. No index finds those of an account, and the table has the keys of the whole cell. But a send and its key are
 * one commit, and the send has the text that the key is a hash of. So the keys are found by the sends that changed.
 *
 * Sends from before that column, and those of which an erasure changed the text, do not lead to their keys. When the account has any, the
 * first pass reads the whole table. Later passes need not: such a send gets no key any more.
 */
export async function copyKeys(deps: CopyDeps, columns: Columns, options: PassOptions): Promise<void> {
  const fingerprintKey = await getFingerprintKey(deps.source, deps.keys.source, deps.accountId);
  let hasUnnamedKeys = false;
  for (const mode of modes) {
    let after: string | undefined = "00000000-0000-0000-0000-000000000000";
    while (after !== undefined) {
      const page = await readNames(deps.source, { accountId: deps.accountId, mode, after, since: options.since });
      hasUnnamedKeys ||= page.hasUnnamedKeys;
      options.onRows(allKeys.table, await copyNamed(deps, columns, { mode, names: page.names, fingerprintKey }));
      after = page.last;
    }
  }
  if (hasUnnamedKeys && options.since === undefined) await copyTable(deps, columns, allKeys, options);
}

interface NamesPage {
  names: string[];
  hasUnnamedKeys: boolean;
  /** Undefined at the end. */
  last: string | undefined;
}

async function readNames(
  source: Database,
  given: { accountId: string; mode: Mode; after: string; since: string | undefined },
): Promise<NamesPage> {
  const [row] = await readInSource(source, (tx) =>
    tx.query<{ names: string[]; hasUnnamedKeys: boolean; last: string | null }>({
      name: "read-names-of-keys",
      text: `
        with next as materialized (
          select s.id, s.idempotency_key as name, s.erased_at is not null or (s.idempotency_key is null and s.payload_hash is null) as is_unnamed,
            ${isChanged("s", "$4")} as is_changed
          from sends s
          where s.account_id = $1
            and s.mode = $2
            and s.id > $3
          order by s.id
          limit ${scannedPerPage}
        )
        select coalesce(array_agg(name) filter (where is_changed and name is not null), '{}') as names,
          coalesce(bool_or(is_changed and is_unnamed), false) as "hasUnnamedKeys",
          max(id::text collate "C") as last
        from next`,
      values: [given.accountId, given.mode, given.after, given.since ?? null],
      isPlannedEachTime: true,
    }),
  );
  return { names: row?.names ?? [], hasUnnamedKeys: row?.hasUnnamedKeys ?? false, last: row?.last ?? undefined };
}

async function copyNamed(
  { source, inTarget, accountId }: CopyDeps,
  columns: Columns,
  { mode, names, fingerprintKey }: { mode: Mode; names: string[]; fingerprintKey: KeyObject },
): Promise<number> {
  if (names.length === 0) return 0;
  const hashes = names.map((name) => idempotencyHash(fingerprintKey, accountId, mode, name));
  const rows = await readInSource(source, (tx) =>
    tx.query<{ row: string }>({
      name: "read-keys",
      text: `
        select stored.row
        from unnest($1::uuid[]) as given (key_hash)
        cross join lateral ${indexLookup(`
          select to_json(t)::text as row
          from idempotency_keys t
          where t.key_hash = given.key_hash
            and t.account_id = $2`)} as stored`,
      values: [uuidBytesArray(hashes), accountId],
    }),
  );
  return inTarget((tx) =>
    writeRows(
      tx,
      columns,
      allKeys,
      rows.map(({ row }) => row),
    ),
  );
}
