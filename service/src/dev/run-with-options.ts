/** For a child process of `postern dev`: waits for its options on the IPC channel, then runs. An error ends it with code 1. */
export function runWithOptions(run: (options: never) => Promise<void>): void {
  // stop-with-parent.ts lets the process end despite an open channel; until the options arrive, the channel keeps it alive.
  process.channel?.ref();
  process.once("message", (options) => {
    process.channel?.unref();
    // Sender and receiver are both in this folder, so the message has the type that `run` expects.
    run(options as never).catch((error) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  });
}
