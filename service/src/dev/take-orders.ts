/** Runs what a process of ours is for, once `postern dev` has told it how; an error is its last words. */
export function takeOrders(run: (orders: never) => Promise<void>): void {
  // The channel alone keeps no process alive (see stop-with-parent.ts); until the orders are here, it has to.
  process.channel?.ref();
  process.once("message", (orders) => {
    process.channel?.unref();
    // Both sides are in this folder: what is sent is what is expected.
    run(orders as never).catch((error) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  });
}
