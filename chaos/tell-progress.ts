/** Says how far a run is: every second while something moves, else seldom. */
export function tellProgress(name: string, started: number): (message: string) => void {
  let [toldAt, told] = [Number.NEGATIVE_INFINITY, ""];
  return (message) => {
    const now = performance.now();
    if (now - toldAt < (message === told ? 10_000 : 1_000)) return;
    [toldAt, told] = [now, message];
    console.log(`  ${name} ${((now - started) / 1000).toFixed(0).padStart(4)} s  ${message}`);
  };
}
