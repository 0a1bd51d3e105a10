const cleanups = new Set<() => void>();

/** Runs when this process exits: at its end, on Ctrl-C or after an error. `cleanUp` must be synchronous. */
export function onExit(cleanUp: () => void): void {
  if (cleanups.size === 0) watch();
  cleanups.add(cleanUp);
}

function watch(): void {
  process.once("exit", () => {
    for (const cleanUp of [...cleanups].toReversed()) {
      try {
        cleanUp();
      } catch (error) {
        process.stderr.write(`clean-up failed: ${String(error)}\n`);
      }
    }
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
}
