/** Allows a burst of one second's tokens and then the steady rate. A request above the capacity needs a full bucket. */
export class TokenBucket {
  #tokens: number | undefined;
  #filledAt = 0;

  take(count: number, perSecond: number, now: number): boolean {
    const capacity = Math.max(1, perSecond);
    const gained = ((now - this.#filledAt) / 1000) * perSecond;
    this.#tokens = Math.min(capacity, (this.#tokens ?? capacity) + gained);
    this.#filledAt = now;
    if (this.#tokens < Math.min(count, capacity)) return false;
    this.#tokens -= count;
    return true;
  }
}
