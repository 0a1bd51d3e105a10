import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { storableText } from "../db/storable-text.ts";
import type { Feedback } from "../provider/feedback.ts";

/**
 * Stores reports about sends of accounts that moved to another cell, in their order: moves/relay-feedback.ts applies them where the
 * account lives. A repeated report is stored again, which changes nothing there.
 */
export async function setAside(db: Queryable, moved: { accountId: string; feedback: Feedback }[]): Promise<void> {
  if (moved.length === 0) return;
  await db.query({
    name: "set-feedback-aside",
    text: `
      insert into moved_feedback (account_id, feedback)
      select account_id, feedback::jsonb
      from unnest($1::uuid[], $2::text[]) with ordinality as given (account_id, feedback, position)
      order by position`,
    values: [
      uuidArray(moved.map(({ accountId }) => accountId)),
      textArray(moved.map(({ feedback }) => JSON.stringify(feedback, storable))),
    ],
  });
}

/** jsonb refuses NUL and half of a surrogate pair, which the cut of a long text can leave. */
function storable(_: string, value: unknown): unknown {
  return typeof value === "string" ? storableText(value).toWellFormed() : value;
}
