/**
 * Counts milliseconds for leases and never runs slow, so a lease never seems younger than it is. The monotonic clock stops
 * while a machine is suspended, and the wall clock can be set back; each step adds the larger difference of the two.
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
