/**
 * A condition that is always true: the statement fails with PS002 (`isOfMovedAccount`) and changes nothing when the account of one of the
 * `rows`, the name of a step with `account_id`, was frozen for its move to another cell or lives there. PostgreSQL computes it once, for the first row
 * that the condition filters.
 */
export function requireAccountsHere(rows: string): string {
  return `(select require_accounts_here(array(select account_id from ${rows})))`;
}
