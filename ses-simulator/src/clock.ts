interface Wait {
  dueAt: number;
  action: () => void;
  isProviders: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Waits of the provider (event delays, SNS retries, DNS checks) can be compressed: at speed 100, 20 s take 0.2 s.
 * Timestamps stay true, because receivers check them, and waits chosen by the client (visibility, long polling) stay real.
 */
export class Clock {
  #speed: number;
  readonly #waits = new Set<Wait>();
  #stopped = false;

  constructor(speed = 1) {
    this.#speed = speed;
  }

  now(): number {
    return Date.now();
  }

  get speed(): number {
    return this.#speed;
  }

  /** Waits that have begun become shorter or longer too. */
  changeSpeed(speed: number): void {
    const now = this.now();
    for (const wait of this.#waits) {
      if (!wait.isProviders) continue;
      wait.dueAt = now + (wait.dueAt - now) * (this.#speed / speed);
      this.#arm(wait);
    }
    this.#speed = speed;
  }

  /** When something that lasts `seconds` at the provider is over here. */
  dueIn(seconds: number): number {
    return this.now() + (seconds * 1000) / this.#speed;
  }

  /** Acts at a time that `dueIn` gave. */
  whenDue(dueAt: number, action: () => void): void {
    this.#wait({ dueAt, action, isProviders: true });
  }

  /** Acts at a true time, whatever the speed. Returns how to forget it. */
  at(dueAt: number, action: () => void): () => void {
    return this.#wait({ dueAt, action, isProviders: false });
  }

  stop(): void {
    this.#stopped = true;
    for (const { timer } of this.#waits) clearTimeout(timer);
    this.#waits.clear();
  }

  #wait(wait: Wait): () => void {
    if (this.#stopped) return () => {};
    this.#waits.add(wait);
    this.#arm(wait);
    return () => {
      clearTimeout(wait.timer);
      this.#waits.delete(wait);
    };
  }

  #arm(wait: Wait): void {
    clearTimeout(wait.timer);
    wait.timer = setTimeout(
      () => {
        this.#waits.delete(wait);
        wait.action();
      },
      Math.max(0, wait.dueAt - this.now()),
    );
  }
}
