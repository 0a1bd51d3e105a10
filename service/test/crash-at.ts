import type { Database, Queryable } from "../src/db/database.ts";

export class Crash extends Error {}

/** Counts the statements of a command over both cells, and ends it before one of them: by its position from 1, or the first one with a name. */
export class CrashAt {
  readonly #at: number | string | undefined;
  #isDead = false;
  readonly names: string[] = [];

  constructor(at?: number | string) {
    this.#at = at;
  }

  wrap(db: Database): Database {
    return {
      ...db,
      query: (statement) => this.#run(statement.name, () => db.query(statement)),
      withTransaction: (work) =>
        db.withTransaction(async (tx) => {
          const counted: Queryable = { query: (statement) => this.#run(statement.name, () => tx.query(statement)) };
          const result = await work({ ...counted, inTransaction: true });
          return this.#run("commit", async () => result);
        }),
    };
  }

  async #run<Result>(name: string, query: () => Promise<Result>): Promise<Result> {
    this.names.push(name);
    this.#isDead ||= this.#at === name || this.#at === this.names.length;
    // A dead process runs nothing more: neither a catch nor a finally.
    if (this.#isDead) throw new Crash(`before ${name}`);
    return query();
  }
}
