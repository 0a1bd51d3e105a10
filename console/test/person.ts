import { randomBytes, randomUUIDv7 } from "node:crypto";
import { hashPassword } from "../../service/src/accounts/password.ts";
import type { Role } from "../../service/src/accounts/role.ts";
import { insertUser } from "../../service/src/accounts/user-store.ts";
import type { Database } from "../../service/src/db/database.ts";
import { anAccount } from "../../service/test/builders.ts";

/** A user of the cell with one account. */
export interface Person {
  id: string;
  accountId: string;
  email: string;
  password: string;
  role: Role;
  /** An owner of the same account, who may do what the person may not. An owner is their own. */
  owner: Person;
}

export interface PersonOptions {
  role?: Role;
  /** The name of the account. */
  accountName?: string;
  email?: string;
  /** Joins the account of this person instead of a new one. */
  colleagueOf?: Person;
}

const password = "a password for tests";
// argon2 takes a tenth of a second, so all persons share one hash.
let hash: Promise<string> | undefined;

/** Stored directly: the command line takes a second for each person. */
export async function createPerson(db: Database, options: PersonOptions = {}): Promise<Person> {
  const { role = "owner", accountName = "Fernhill Books", colleagueOf } = options;
  const owner = colleagueOf?.owner;
  if (owner !== undefined) return addUser(db, { ...options, role, owner, accountId: owner.accountId });
  const accountId = await aFastAccount(db, accountName);
  if (role === "owner") return addUser(db, { ...options, role, owner: undefined, accountId });
  const first = await addUser(db, { role: "owner", owner: undefined, accountId });
  return addUser(db, { ...options, role, owner: first, accountId });
}

/** Seeding would exceed the usual limit of three sends a second. */
async function aFastAccount(db: Database, name: string): Promise<string> {
  const accountId = await anAccount(db, { name });
  await db.query({
    name: "raise-limits",
    text: `
      update accounts
      set limit_per_second = 1000, limit_per_10_seconds = 10000, limit_per_minute = 60000
      where id = $1`,
    values: [accountId],
  });
  return accountId;
}

type NewPerson = PersonOptions & { role: Role; owner: Person | undefined; accountId: string };

async function addUser(db: Database, { role, accountId, owner, email }: NewPerson): Promise<Person> {
  hash ??= hashPassword(password);
  const address = email ?? `${role}-${randomBytes(6).toString("hex")}@fernhill.example`;
  const user = { id: randomUUIDv7(), accountId, role, email: address };
  const passwordHash = await hash;
  const isNew = await db.withTransaction((tx) => insertUser(tx, { ...user, passwordHash }));
  if (!isNew) throw new Error(`the cell already has a user ${address}`);
  const person = { ...user, password };
  return owner === undefined ? itsOwnOwner(person) : { ...person, owner };
}

function itsOwnOwner(person: Omit<Person, "owner">): Person {
  return {
    ...person,
    get owner() {
      return this;
    },
  };
}
