import type { Queryable } from "../db/database.ts";
import { deleteReports, takeDueReports } from "../provider/sandbox/report-store.ts";
import type { ReceiveFeedback } from "./take-feedback.ts";

const atOnce = 200;

/** Lets the sandbox report what is due, by the same way as real feedback: applied first, forgotten after the commit. */
export async function applySandboxReports(db: Queryable, take: ReceiveFeedback): Promise<void> {
  for (;;) {
    const due = await takeDueReports(db, atOnce);
    if (due.length === 0) return;
    await Promise.all(due.map(({ feedback }) => take(feedback, JSON.stringify(feedback))));
    // crash point: sandbox-told
    await deleteReports(
      db,
      due.map(({ id }) => id),
    );
  }
}
