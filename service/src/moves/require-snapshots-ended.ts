import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { durationText } from "../plain-text.ts";
import { waitForSnapshots } from "./wait-for-snapshots.ts";

const maxMs = 10_000;

/** No statement of Postern runs longer. What is left then is a dump or a transaction of another program, which the operator can end. */
export async function requireSnapshotsEnded(db: Queryable, transaction: string): Promise<void> {
  const left = await waitForSnapshots(db, transaction, maxMs);
  if (left.length === 0) return;
  const sessions = left.map(
    ({ pid, name, ageSeconds }) => `  - process ${pid} (${name || "without a name"}), for ${durationText(ageSeconds)}`,
  );
  throw new AppError(
    "CONFLICT",
    `The account cannot move while transactions from before are open in the source:\n${sessions.join("\n")}\n` +
      "Wait for them or end them (`select pg_terminate_backend(PROCESS)`), then run the command again.",
  );
}
