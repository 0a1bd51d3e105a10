import { type ConsoleCell, startConsoleCell } from "../test/console-cell.ts";
import { type ConsoleSession, openConsole } from "../test/console-session.ts";

/** A new cell of `postern dev` and a browser on it. What the pages did wrong is for `work` to judge: `closePages` returns it. */
export async function withConsole<Result>(
  work: (session: ConsoleSession, cell: ConsoleCell) => Promise<Result>,
): Promise<Result> {
  const { cell, stop } = await startConsoleCell();
  try {
    const session = await openConsole(cell);
    try {
      return await work(session, cell);
    } finally {
      await session.close();
    }
  } finally {
    await stop();
  }
}
