import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { listUnknownSends } from "../../feedback/quarantine-store.ts";
import { declareFailover, type FailoverCause } from "../../in-doubt/failover-store.ts";
import { releaseSweptSends } from "../../in-doubt/failover-sweep.ts";
import { type LastFailover, readLastFailover } from "../../in-doubt/last-failover.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { countLimitForPeople } from "../../status/cell-state.ts";

const maxListed = 200;

const causes: Record<FailoverCause, string> = {
  server: "the server, timeline or database is a different one",
  rewound: "the server has less data on disk than before",
  feedback: "SES reports sends that this database does not have",
  operator: "declared by the operator",
};

export async function runDeclare(db: Database): Promise<void> {
  await declareFailover(db, "operator", "infinity");
  say(
    "The failover is recorded. Workers now mark all queued live mail as in doubt and submit none until that is done.\n" +
      "`postern admin failover show` shows the progress.",
  );
}

export async function runShow(db: Database): Promise<void> {
  const [failover, unknown] = await Promise.all([
    readLastFailover(db, countLimitForPeople),
    listUnknownSends(db, maxListed),
  ]);
  const rows = unknown.map(({ sendId, receivedAt }) => [sendId, `reported ${timeText(receivedAt)}`]);
  const amount = unknown.length === maxListed ? `The newest ${maxListed} sends` : amountText(unknown.length, "send");
  say(
    [
      failover === null ? "No failover or restore was detected." : describe(failover),
      unknown.length === 0
        ? "SES reports no send that this database does not have."
        : `${amount} that SES accepted and this database does not have:\n${aligned(rows, { indent: "  " })}`,
    ].join("\n\n"),
  );
}

function describe({ noticedAt, cause, before, after, markedInDoubt, inDoubt, isSweeping }: LastFailover): string {
  return aligned([
    ["detected", timeText(noticedAt)],
    ["cause", causes[cause]],
    ["server before", before ?? "unknown"],
    ["server now", after],
    ["marked in doubt", `${amountText(markedInDoubt, "send")}${isSweeping ? " so far" : ""}`],
    ["still in doubt", countText(inDoubt, countLimitForPeople)],
  ]);
}

export async function runConfirmNoLoss(db: Database): Promise<void> {
  const failover = await readLastFailover(db, 1);
  if (failover === null) {
    throw new AppError("NOT_FOUND", "No failover or restore was detected, so no send is in doubt because of one.");
  }
  if (failover.isSweeping) {
    throw new AppError(
      "CONFLICT",
      "Workers are still marking sends as in doubt. Check that a worker is running, then try again in a minute.",
    );
  }
  const released = await releaseSweptSends(db);
  say(
    `${amountText(released, "send")} ready again. Sends whose submission was in progress at the failover stay in doubt.`,
  );
}
