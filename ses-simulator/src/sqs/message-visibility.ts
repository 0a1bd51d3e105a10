/** Which messages of one queue a receiver can get now, which are in flight, and which receivers wait. Memory only. */
export class MessageVisibility {
  readonly #ready = new Set<string>();
  /** Each value cancels the timer that makes the message visible again. */
  readonly #inFlight = new Map<string, () => void>();
  readonly #waiting = new Set<() => void>();

  get readyCount(): number {
    return this.#ready.size;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  ready(): Iterable<string> {
    return this.#ready;
  }

  isInFlight(messageId: string): boolean {
    return this.#inFlight.has(messageId);
  }

  /** Makes the message available and wakes the waiting receivers. */
  show(messageId: string): void {
    this.#stopTimer(messageId);
    this.#ready.add(messageId);
    for (const wake of this.#waiting) wake();
  }

  hide(messageId: string, cancelTimer: () => void): void {
    this.remove(messageId);
    this.#inFlight.set(messageId, cancelTimer);
  }

  remove(messageId: string): void {
    this.#stopTimer(messageId);
    this.#ready.delete(messageId);
  }

  /** Resolves when a message becomes available, the time ends, or the signal aborts. */
  waitForMessage(seconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, seconds * 1000);
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    });
  }

  #stopTimer(messageId: string): void {
    this.#inFlight.get(messageId)?.();
    this.#inFlight.delete(messageId);
  }
}
