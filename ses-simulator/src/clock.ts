interface Timer {
  dueAt: number;
  action: () => void;
  /** A provider delay follows the clock speed; a delay chosen by the client does not. */
  followsSpeed: boolean;
  timeout?: NodeJS.Timeout;
}

/**
 * The clock can compress the provider's delays (event delays, SNS retries, DNS checks): at speed 100, 20 s take 0.2 s.
 * Timestamps stay real, because receivers check them. Delays chosen by the client (visibility, long polling) stay real.
 */
export class Clock {
  #speed: number;
  readonly #timers = new Set<Timer>();
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

  /** Also rescales the provider delays that are already running. */
  changeSpeed(speed: number): void {
    const now = this.now();
    for (const timer of this.#timers) {
      if (!timer.followsSpeed) continue;
      timer.dueAt = now + (timer.dueAt - now) * (this.#speed / speed);
      this.#start(timer);
    }
    this.#speed = speed;
  }

  /** The real time at which a provider delay of `seconds` ends. */
  dueIn(seconds: number): number {
    return this.now() + (seconds * 1000) / this.#speed;
  }

  /** Runs the action at a time that `dueIn` returned. */
  runWhenDue(dueAt: number, action: () => void): void {
    this.#add({ dueAt, action, followsSpeed: true });
  }

  /** Runs the action at a real time, independent of the speed. Returns a function that cancels it. */
  runAt(time: number, action: () => void): () => void {
    return this.#add({ dueAt: time, action, followsSpeed: false });
  }

  stop(): void {
    this.#stopped = true;
    for (const { timeout } of this.#timers) clearTimeout(timeout);
    this.#timers.clear();
  }

  #add(timer: Timer): () => void {
    if (this.#stopped) return () => {};
    this.#timers.add(timer);
    this.#start(timer);
    return () => {
      clearTimeout(timer.timeout);
      this.#timers.delete(timer);
    };
  }

  #start(timer: Timer): void {
    clearTimeout(timer.timeout);
    timer.timeout = setTimeout(
      () => {
        this.#timers.delete(timer);
        timer.action();
      },
      Math.max(0, timer.dueAt - this.now()),
    );
  }
}
