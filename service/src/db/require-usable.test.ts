import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ConfigurationError } from "../errors.ts";
import type { Queryable, Transaction } from "./database.ts";
import { knownMigrations } from "./migrate.ts";
import { findMissingMigrations, requireDurable } from "./require-usable.ts";

const shared = useTestDatabase();

test("a server whose commits wait for the disk is accepted", async () => {
  await requireDurable(shared.db);
});

test("a database whose commits do not wait for the disk is refused", async () => {
  const name = new URL(shared.url).pathname.slice(1);
  await setSynchronousCommit(`database ${name} set synchronous_commit = off`);
  onTestFinished(() => setSynchronousCommit(`database ${name} reset synchronous_commit`));
  // A database setting applies to new connections only.
  const db = openTestDatabase(shared.url);
  onTestFinished(() => db.close());
  const refusal = requireDurable(db);
  await expect(refusal).rejects.toThrow(ConfigurationError);
  await expect(refusal).rejects.toThrow(/synchronous_commit off, so an accepted send could be lost/);
});

test.for([
  { settings: { fsync: "off", synchronous_commit: "on" }, named: "has fsync off" },
  { settings: { fsync: "off", synchronous_commit: "off" }, named: "has fsync and synchronous_commit off" },
])("a server that $named is refused", async ({ settings, named }) => {
  const refusal = requireDurable(aServerThatAnswers(settings));
  await expect(refusal).rejects.toThrow(ConfigurationError);
  await expect(refusal).rejects.toThrow(named);
});

test.for(["on", "local", "remote_write", "remote_apply"])(
  "synchronous_commit = %s reaches the disk and is accepted",
  async (value) => {
    await requireDurable(aServerThatAnswers({ fsync: "on", synchronous_commit: value }));
  },
);

test("the schema of this release and a newer one have no missing migrations", async () => {
  await changedSchema(async (tx) => {
    expect(await findMissingMigrations(tx)).toEqual([]);
    await tx.query({
      name: "newer",
      text: "insert into schema_migrations (name, run_on) values ('9999_newer', now())",
    });
    expect(await findMissingMigrations(tx)).toEqual([]);
  });
});

test("migrations that are not applied are listed, oldest first", async () => {
  const unapplied = knownMigrations().slice(-2);
  await changedSchema(async (tx) => {
    await tx.query({ name: "older", text: "delete from schema_migrations where name = any($1)", values: [unapplied] });
    expect(await findMissingMigrations(tx)).toEqual(unapplied);
  });
});

/** Runs `work` in a transaction that is rolled back, so that no other test sees what it changed. */
async function changedSchema(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const undo = new Error("undo");
  const undone = shared.db.withTransaction(async (tx) => {
    await work(tx);
    throw undo;
  });
  await expect(undone).rejects.toBe(undo);
}

/** Starting a server with fsync off takes seconds, so its answer is faked. */
function aServerThatAnswers(settings: Record<string, string>): Queryable {
  return { query: async <Row>() => [settings] as Row[] };
}

async function setSynchronousCommit(change: string): Promise<void> {
  await shared.db.query({ name: change.slice(-40), text: `alter ${change}` });
}
