/**
 * Counts milliseconds for leases: at least as many as have passed. The monotonic clock stands still while a machine is
 * suspended, and the wall clock may be set; each step counts by whichever says more, so a lease never looks younger than
 * it is.
 */
export function createCautiousClock(
  monotonic: () => number = () => performance.now(),
  wall: () => number = () => Date.now(),
): () => number {
  let [total, lastMonotonic, lastWall] = [0, monotonic(), wall()];
  return () => {
    const [nowMonotonic, nowWall] = [monotonic(), wall()];
    total += Math.max(nowMonotonic - lastMonotonic, nowWall - lastWall);
    [lastMonotonic, lastWall] = [nowMonotonic, nowWall];
    return total;
  };
}
