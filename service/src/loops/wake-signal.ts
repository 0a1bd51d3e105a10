/** Lets a loop sleep until a time has passed or `wake` is called. A `wake` before the sleep ends that sleep immediately. */
export class WakeSignal {
  #isSignalled = false;
  #endSleep: (() => void) | undefined;

  wake(): void {
    this.#isSignalled = true;
    this.#endSleep?.();
  }

  async sleep(maxMs: number): Promise<void> {
    if (!this.#isSignalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        this.#endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endSleep = undefined;
    }
    this.#isSignalled = false;
  }
}
