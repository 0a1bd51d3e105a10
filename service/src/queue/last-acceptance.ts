import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";

const noteEveryMs = 30_000;

/** Stores when the provider last accepted mail, at most every half minute: it is not worth a write for each mail. */
export class LastAcceptance {
  #notedAt = Number.NEGATIVE_INFINITY;
  readonly #db: Queryable;
  readonly #mode: Mode;

  constructor(db: Queryable, mode: Mode) {
    this.#db = db;
    this.#mode = mode;
  }

  async note(): Promise<void> {
    const now = performance.now();
    if (now - this.#notedAt < noteEveryMs) return;
    this.#notedAt = now;
    await this.#db.query({
      name: "note-acceptance",
      text: `
        update provider_state
        set accepted_at = now()
        where mode = $1`,
      values: [this.#mode],
    });
  }
}
