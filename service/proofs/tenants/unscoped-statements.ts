import { systemActor } from "../../src/actor.ts";
import type { AccountDatabase, Database, Statement } from "../../src/db/database.ts";

/** `conditions` removes the account from conditions. `everything` also stores new rows under another account. */
type RemovedScope = "nothing" | "conditions" | "everything";

export interface WatchedDatabase extends Database {
  removed: RemovedScope;
  /** The names of statements since the last `startWatching`, with and without an account. */
  bound: Set<string>;
  unbound: Set<string>;
  /** The bound statements that ran without their account. */
  unscoped: Set<string>;
  startWatching(): void;
}

interface Watch {
  /** False runs the statements as the table owner, without row-level security, to show what row-level security prevents. */
  isRowSecurityOn: boolean;
  /** The account under which `everything` stores new rows. */
  otherAccountId: string;
}

/** A database that can remove the account from the statements of an account. */
export function watchDatabase(db: Database, { isRowSecurityOn, otherAccountId }: Watch): WatchedDatabase {
  const watched: WatchedDatabase = {
    ...db,
    removed: "nothing",
    bound: new Set(),
    unbound: new Set(),
    unscoped: new Set(),
    startWatching() {
      for (const names of [watched.bound, watched.unbound, watched.unscoped]) names.clear();
    },
    query: (statement) => {
      watched.unbound.add(statement.name);
      return db.query(statement);
    },
    forAccount: (accountId, actor = systemActor): AccountDatabase => ({
      accountId,
      actor,
      query: (statement) => {
        watched.bound.add(statement.name);
        const unscoped = removeScope(statement, watched.removed, otherAccountId);
        if (unscoped !== undefined) watched.unscoped.add(statement.name);
        const run = isRowSecurityOn ? db.forAccount(accountId, actor) : db;
        return run.query(unscoped ?? statement);
      },
    }),
  };
  return watched;
}

/** Also as a range (`equalByIndex`). */
const accountCondition = /\b(?:\w+\.)?account_id (?:=|between \$1 and) \$1(?!\d)/g;
/** The same for account and mode together (`rowByIndex`). */
const accountRowCondition =
  /\(((?:\w+\.)?)account_id, \1mode\) >= \(\$1::uuid, ([^\n]+?)\) and \(\1account_id, \1mode\) <= \(\$1::uuid, \2\)/g;
/** In the table `accounts` the condition is on `id`. */
const accountsIdCondition = /(\bfrom accounts\b[\s\S]*\bwhere )(?:a\.)?id = \$1(?!\d)/g;
const newRow = /insert into \w+ (?:as \w+ )?\(account_id,/;
/** Always true; keeps the parameter and its type. */
const anyAccount = "$1::uuid is not null";

/** Undefined for a statement without a scope. The name changes because the connection has prepared the original text. */
function removeScope(statement: Statement, removed: RemovedScope, otherAccountId: string): Statement | undefined {
  const name = `${statement.name}, unscoped`;
  if (removed === "nothing") return undefined;
  const text = statement.text
    .replace(accountCondition, () => anyAccount)
    .replace(accountRowCondition, (_found, prefix: string, mode: string) => `${anyAccount} and ${prefix}mode = ${mode}`)
    .replace(accountsIdCondition, (_found, before: string) => `${before}${anyAccount}`);
  if (removed === "everything" && newRow.test(statement.text)) {
    return { ...statement, name, text, values: [otherAccountId, ...(statement.values ?? []).slice(1)] };
  }
  return text !== statement.text ? { ...statement, name, text } : undefined;
}
