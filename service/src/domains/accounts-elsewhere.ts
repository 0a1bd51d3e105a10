/**
 * SQL: the accounts that are about to leave this cell or live in another one. Its chores no longer check their domains and create no identity for
 * them: the other cell does. An account that is still copied into this cell is not among them, because its domains are registered and checked
 * here before it comes.
 */
export const accountsElsewhere = `(select account_id from outgoing_moves where state <> 'copying')`;
