const tickMs = 50;

/**
 * Milliseconds during which this process was able to run. While it is busy or gets no CPU time, answers of the database wait in its
 * sockets: that time must not count as a database that does not answer. Stands still while it is stopped.
 */
export function createRunningClock() {
  let elapsedMs = 0;
  let ticker: NodeJS.Timeout | undefined;
  return {
    now: () => elapsedMs,
    start(): void {
      ticker ??= setInterval(() => {
        elapsedMs += tickMs;
      }, tickMs).unref();
    },
    stop(): void {
      clearInterval(ticker);
      ticker = undefined;
    },
  };
}
