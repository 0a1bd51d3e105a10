const minute = 60_000;
const minutesKept = 24 * 60;

/** Counts the recipients of the last 24 hours per minute: precise enough for a quota, and bounded in memory. */
export class SentLast24Hours {
  readonly #byMinute = new Map<number, number>();
  #total = 0;

  add(at: number, recipients: number): void {
    const key = Math.floor(at / minute);
    this.#byMinute.set(key, (this.#byMinute.get(key) ?? 0) + recipients);
    this.#total += recipients;
  }

  total(now: number): number {
    const oldest = Math.floor(now / minute) - minutesKept;
    for (const [key, recipients] of this.#byMinute) {
      if (key > oldest) break;
      this.#byMinute.delete(key);
      this.#total -= recipients;
    }
    return this.#total;
  }
}
