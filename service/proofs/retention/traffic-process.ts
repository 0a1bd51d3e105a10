import { randomUUIDv7 } from "node:crypto";
import { createAcceptBatch } from "../../src/accept/accept-batch.ts";
import { openDatabaseClock } from "../../src/db/database-clock.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { claimSends } from "../../src/queue/claim-sends.ts";
import { markSent } from "../../src/queue/settle-sends.ts";
import { aCandidate } from "../../test/a-candidate.ts";
import { aReport, spamComplaint } from "../../test/feedback-report-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";

export interface Traffic {
  accepted: number;
  /** Sends that were reported as delivered. */
  reported: number;
  slowestAcceptMs: number;
  /** Verdicts about complaints that arrive months late. */
  late: Record<string, number>;
}

/**
 * Accepts, submits and reports mail as the API and a worker do, and applies complaints about random old sends, which then stay. Its arguments are
 * the database, the account with its domain, and the account of the old sends.
 */
const [url = "", accountId = "", domain = "", pastAccountId = ""] = process.argv.slice(2);
const db = openTestDatabase(url);
const decide = createAcceptBatch(db, await openDatabaseClock(db));
process.on("disconnect", () => process.exit(0));

/** Old sends of the last 300 days to complain about, some rounds after they were picked: many are dropped by then. */
const picked: { id: string; messageId: string }[] = [];

for (let round = 0; ; round++) {
  const started = performance.now();
  const candidates = Array.from({ length: 10 }, (_, index) =>
    aCandidate({ id: randomUUIDv7(), accountId, domain, recipients: [`n-${round}-${index}@x.test`] }),
  );
  const decisions = await Promise.all(candidates.map(decide));
  const slowestAcceptMs = performance.now() - started;
  const accepted = decisions.filter(({ kind }) => kind === "stored").length;
  const traffic: Traffic = { accepted, reported: await deliver(), slowestAcceptMs, late: await complain() };
  process.send?.(traffic);
}

async function deliver(): Promise<number> {
  const limits = { maxSends: 40, maxRecipients: 200, fromFairAt: "-infinity", isProbe: false };
  const { sends } = await claimSends(db, { mode: "live", ...limits });
  const attempts = sends.map(({ id, attempt, attemptedAt }) => ({ sendId: id, attempt, startedAt: attemptedAt }));
  await markSent(
    db,
    attempts.map((attempt) => ({ ...attempt, outcome: "accepted", providerMessageId: `m-${attempt.sendId}` })),
  );
  const reports = sends.map(({ id, attempt, recipients }) => ({
    ...aReport({ id, accountId, messageId: `m-${id}` }, { kind: "delivery", recipients }),
    attempt,
  }));
  const { verdicts } = await applyFeedback(db, reports, Date.now());
  return verdicts.filter((verdict) => verdict === "applied").length;
}

async function complain(): Promise<Record<string, number>> {
  const rows = await change(
    db,
    `select s.id, s.provider_message_id as "messageId"
     from (select new_id_at(now() - interval '300 days' * random()) as id from generate_series(1, 4)) as wanted
     cross join lateral (
       select id, provider_message_id
       from sends
       where account_id = $1
         and mode = 'live'
         and id > wanted.id
         and status in ('delivered', 'complained')
       order by id
       limit 1
     ) as s`,
    [pastAccountId],
  );
  picked.push(...rows.map(({ id, messageId }) => ({ id: String(id), messageId: String(messageId) })));
  // Two of those that were just picked, and two that have waited.
  const due = [...picked.splice(-2), ...(picked.length > 8 ? picked.splice(0, 2) : [])];
  const reports = due.map((send) =>
    aReport(
      { ...send, accountId: pastAccountId },
      { ...spamComplaint, recipients: ["late@x.test"], feedbackId: randomUUIDv7() },
    ),
  );
  const { verdicts } = await applyFeedback(db, reports, Date.now());
  const counts: Record<string, number> = {};
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
