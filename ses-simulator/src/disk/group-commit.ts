type Write = () => void;

/**
 * Collects the changes of one event-loop iteration, writes them in the order the writers were added, and then lets the
 * answers leave. One write(2) serves all requests of the iteration, which makes thousands of durable sends per second
 * cheap. A completed write survives `kill -9`. It may not survive a power cut, because the commit never calls fsync.
 */
export class GroupCommit {
  readonly #writers: Write[] = [];
  #batch: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;

  addWriter(write: Write): void {
    this.#writers.push(write);
  }

  /** Schedules a write of the current changes, without waiting for it. */
  requestWrite(): void {
    if (this.#batch !== undefined || this.#failure !== undefined) return;
    this.#batch = Promise.withResolvers();
    this.#batch.promise.catch(() => {}); // `written` reports the failure; a batch without a waiter must not end the process.
    setImmediate(() => this.writeNow());
  }

  /** Resolves when all changes so far are written. After a failed write it always rejects, because memory is ahead. */
  async written(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await this.#batch?.promise;
  }

  writeNow(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch === undefined || this.#failure !== undefined) return;
    try {
      for (const write of this.#writers) write();
      batch.resolve();
    } catch (cause) {
      this.#failure = new Error("The simulator can no longer write its data folder", { cause });
      batch.reject(this.#failure);
    }
  }
}
