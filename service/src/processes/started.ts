/** `drains`: clients may still be on their way, so what serves them waits before it stops. */
export interface StopOptions {
  drains: boolean;
}

type Stop = (options: StopOptions) => Promise<unknown>;

/**
 * Everything that a process has started so far. Each start-up step adds its own entry, so that a process whose start fails can stop
 * exactly what it had started.
 */
export class Started {
  readonly #work: Stop[] = [];
  readonly #resources: Stop[] = [];
  #isStopping = false;

  /** Work stops first, all of it at the same time: each part may need most of the deadline to finish what it has in progress. */
  addWork(stop: Stop): void {
    this.#add(this.#work, stop);
  }

  /** Resources close after the work that uses them, newest first. */
  addResource(close: Stop): void {
    this.#add(this.#resources, close);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** A failure does not keep the other entries from stopping. */
  async stop(options: StopOptions = { drains: false }): Promise<void> {
    this.#isStopping = true;
    const failures: unknown[] = [];
    const attempt = (stop: Stop) => stop(options).catch((error: unknown) => failures.push(error));
    await Promise.all(this.#work.map(attempt));
    for (const close of this.#resources.toReversed()) await attempt(close);
    if (failures.length > 0) throw new AggregateError(failures, "some parts of the process could not be stopped");
  }

  #add(entries: Stop[], stop: Stop): void {
    // Ends a start that continues after its deadline.
    if (this.#isStopping) throw new Error("the process is stopping and starts nothing more");
    entries.push(stop);
  }
}
