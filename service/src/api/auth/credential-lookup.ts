import { findSuspensions, type Suspension } from "../../accounts/suspension.ts";
import { findKeysByHmacs, type StoredKey } from "../../api-keys/secret-store.ts";
import { createAdmission } from "../../db/admission.ts";
import { createBatch } from "../../db/batch.ts";
import type { Queryable } from "../../db/database.ts";
import { type FoundLogin, findOpenLogins, type TokenOfLogin } from "../../logins/login-store.ts";

export interface CredentialLookup {
  /** The key with one of these HMACs. */
  findKey(hmacs: Buffer[]): Promise<StoredKey | undefined>;
  findLogin(token: TokenOfLogin): Promise<FoundLogin | undefined>;
  /** Of an account whose credential was refused as suspended. */
  findSuspension(accountId: string): Promise<Suspension>;
}

const maxItems = 500;

/**
 * Requests that arrive during one query share the next. So a flood of requests occupies one connection for its keys, one for its
 * tokens and one for those of suspended accounts, and the check of another tenant's credential waits for two queries at most.
 */
export function createCredentialLookup(db: Queryable): CredentialLookup {
  return {
    findKey: shared((hmacs: Buffer[][]) => findKeysByHmacs(db, hmacs)),
    findLogin: shared((tokens: TokenOfLogin[]) => findOpenLogins(db, tokens)),
    findSuspension: shared((accountIds: string[]) => findSuspensions(db, accountIds)),
  };
}

function shared<Item, Result>(run: (items: Item[]) => Promise<Result[]>): (item: Item) => Promise<Result> {
  const admission = createAdmission({ maxRoundTrips: 1, minInProgress: 2 * maxItems });
  return createBatch({ run, maxItems, maxBytes: 1024 * 1024, sizeOf: () => 100, admission });
}
