import type { AccountDatabase, Database, Statement } from "../src/db/database.ts";

/** The account in conditions is left out; with `everything` new rows are given to another account, too. */
type Forgotten = "nothing" | "conditions" | "everything";

export interface WatchedDatabase extends Database {
  forget: Forgotten;
  /** Names of statements since the last `startWatching`, those bound to an account and the others. */
  bound: Set<string>;
  unbound: Set<string>;
  /** Those of the bound ones that were run without their account. */
  scopeless: Set<string>;
  startWatching(): void;
}

interface Watch {
  /** False runs the statements of an account as the owner of the tables does, to show what the guard keeps away. */
  isGuarded: boolean;
  /** The account that new rows are given to instead. */
  stranger: string;
}

/** A database whose statements in the name of an account can lose their account on the way. */
export function watchDatabase(db: Database, { isGuarded, stranger }: Watch): WatchedDatabase {
  const watched: WatchedDatabase = {
    ...db,
    forget: "nothing",
    bound: new Set(),
    unbound: new Set(),
    scopeless: new Set(),
    startWatching() {
      for (const names of [watched.bound, watched.unbound, watched.scopeless]) names.clear();
    },
    query: (statement) => {
      watched.unbound.add(statement.name);
      return db.query(statement);
    },
    forAccount: (accountId): AccountDatabase => ({
      accountId,
      query: (statement) => {
        watched.bound.add(statement.name);
        const changed = forgetScope(statement, watched.forget, stranger);
        if (changed !== undefined) watched.scopeless.add(statement.name);
        const run = isGuarded ? db.forAccount(accountId) : db;
        return run.query(changed ?? statement);
      },
    }),
  };
  return watched;
}

const ofAccount = /\b(?:\w+\.)?account_id = \$1(?!\d)/g;
/** In accounts itself the account is the id. */
const accountItself = /(\bfrom accounts\b[\s\S]*\bwhere )(?:a\.)?id = \$1(?!\d)/g;
const newRow = /insert into \w+ \(account_id,/;
/** Keeps the parameter and its type. */
const anyAccount = "$1::uuid is not null";

/** Undefined when there is nothing to forget. Under another name: a connection has prepared the statement as it is. */
function forgetScope(statement: Statement, forget: Forgotten, stranger: string): Statement | undefined {
  const name = `${statement.name}, scopeless`;
  if (forget === "nothing") return undefined;
  if (forget === "everything" && newRow.test(statement.text)) {
    return { ...statement, values: [stranger, ...(statement.values ?? []).slice(1)] };
  }
  const text = statement.text
    .replace(ofAccount, () => anyAccount)
    .replace(accountItself, (_found, before: string) => `${before}${anyAccount}`);
  return text !== statement.text ? { ...statement, name, text } : undefined;
}
