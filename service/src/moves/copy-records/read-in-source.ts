import type { Database, Transaction } from "../../db/database.ts";

/**
 * Pages in the order of an index, whatever the statistics say: PostgreSQL would rather collect all rows of the account and sort them, for
 * each page again. The other settings are those that the text of a value depends on.
 */
export function readInSource<Result>(source: Database, read: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return source.withTransaction(async (tx) => {
    await tx.query({
      name: "read-in-order",
      text: `
        select set_config(name, value, true)
        from (values ('enable_bitmapscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'), ('timezone', 'UTC'),
          ('bytea_output', 'hex'), ('extra_float_digits', '1'), ('transaction_read_only', 'on')) as settings (name, value)`,
    });
    return read(tx);
  });
}
