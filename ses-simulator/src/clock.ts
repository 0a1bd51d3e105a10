/**
 * Waits of the provider (event delays, SNS retries, DNS checks) can be compressed: at speed 100, 20 s take 0.2 s.
 * Timestamps stay true, because receivers check them, and waits chosen by the client (visibility, long polling) stay real.
 */
export class Clock {
  speed: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(speed = 1) {
    this.speed = speed;
  }

  now(): number {
    return Date.now();
  }

  /** When something that lasts `seconds` at the provider is over here. */
  dueIn(seconds: number): number {
    return this.now() + (seconds * 1000) / this.speed;
  }

  at(dueAt: number, action: () => void): () => void {
    if (this.#stopped) return () => {};
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        action();
      },
      Math.max(0, dueAt - this.now()),
    );
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
