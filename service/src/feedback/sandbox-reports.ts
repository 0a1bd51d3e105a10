import type { Queryable } from "../db/database.ts";
import { deleteReports, takeDueReports } from "../provider/sandbox/report-store.ts";
import type { ReceiveFeedback } from "./receive-feedback.ts";

const batchSize = 200;

/** Applies the due reports of the sandbox in the same way as real feedback: it deletes them after the commit. */
export async function applySandboxReports(db: Queryable, receive: ReceiveFeedback): Promise<void> {
  for (;;) {
    const due = await takeDueReports(db, batchSize);
    if (due.length === 0) return;
    await Promise.all(due.map(({ feedback }) => receive(feedback, JSON.stringify(feedback))));
    // crash point: sandbox-reported
    await deleteReports(
      db,
      due.map(({ id }) => id),
    );
  }
}
