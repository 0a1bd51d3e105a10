const undoings = new Set<() => void>();

/** Done when this process ends, however it ends: finished, Ctrl-C, or broken. It must not wait for anything. */
export function atTheEnd(undo: () => void): void {
  if (undoings.size === 0) watch();
  undoings.add(undo);
}

function watch(): void {
  process.once("exit", () => {
    for (const undo of [...undoings].toReversed()) {
      try {
        undo();
      } catch (error) {
        process.stderr.write(`not cleared away: ${String(error)}\n`);
      }
    }
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
}
