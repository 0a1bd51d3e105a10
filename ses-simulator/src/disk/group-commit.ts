type Write = () => void;

/**
 * Writes what changed during one turn of the event loop, in the order the writers joined, and then lets the answers
 * leave. One write(2) serves every request of that turn: this is what makes thousands of durable sends a second cheap.
 * A completed write survives `kill -9`; a power cut it does not, because nothing here calls fsync.
 */
export class GroupCommit {
  readonly #writers: Write[] = [];
  #turn: PromiseWithResolvers<void> | undefined;
  #broken: Error | undefined;

  join(write: Write): void {
    this.#writers.push(write);
  }

  /** Tells that something changed, by someone who need not wait for the disk. */
  changed(): void {
    if (this.#turn !== undefined || this.#broken !== undefined) return;
    this.#turn = Promise.withResolvers();
    this.#turn.promise.catch(() => {}); // Who waits is told; a change without a waiter must not end the process.
    setImmediate(() => this.writeNow());
  }

  /** Settles when everything changed until now is written. Rejects for good once a write failed: memory is ahead. */
  async written(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    await this.#turn?.promise;
  }

  writeNow(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined || this.#broken !== undefined) return;
    try {
      for (const write of this.#writers) write();
      turn.resolve();
    } catch (cause) {
      this.#broken = new Error("The simulator can no longer write its data folder", { cause });
      turn.reject(this.#broken);
    }
  }
}
