/** Lets a loop rest until a time has passed or somebody rings, also when that was before it lay down. */
export class WakeSignal {
  #isRung = false;
  #wakeUp: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wakeUp?.();
  }

  async wait(maxMs: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        this.#wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wakeUp = undefined;
    }
    this.#isRung = false;
  }
}
