/** Lets one second's worth through at once and then keeps the rate. Something larger than the bucket needs a full one. */
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
