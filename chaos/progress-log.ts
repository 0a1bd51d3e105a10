/** Prints the progress of a run: at most once per second, and an unchanged message every ten seconds. */
export function createProgressLog(name: string, started: number): (message: string) => void {
  let [printedAt, printed] = [Number.NEGATIVE_INFINITY, ""];
  return (message) => {
    const now = performance.now();
    if (now - printedAt < (message === printed ? 10_000 : 1_000)) return;
    [printedAt, printed] = [now, message];
    console.log(`  ${name} ${((now - started) / 1000).toFixed(0).padStart(4)} s  ${message}`);
  };
}
