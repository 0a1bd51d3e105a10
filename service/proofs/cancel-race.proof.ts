import type { Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { usageKinds } from "../src/usage/usage-kinds.ts";
import { anAccount } from "../test/builders.ts";
import { withTestApis } from "../test/with-test-apis.ts";
import { runRaceRound, type Submission } from "./cancel/race-round.ts";
import { type RacingSend, storeRacingSends } from "./cancel/racing-sends.ts";
import { createDice } from "./seeded-random.ts";

const sendsPerRound = 400;

export const proof: Proof = {
  promise: "No send is both cancelled and submitted, and none is submitted after its expiry",
  covers: [
    "service/migrations",
    "service/proofs/cancel",
    "service/src/db",
    "service/src/delivery",
    "service/src/in-doubt",
    "service/src/queue",
    "service/src/usage",
  ],
  size: { small: 300, full: 10_000 },
  run: (size, { serverUrl, progress }) =>
    withTestApis(serverUrl, {}, async ({ db }) => {
      const seed = Date.now() % 2 ** 31;
      const dice = createDice(seed);
      const tally = newTally();
      while (tally.sends < size) {
        const accountId = await anAccount(db);
        const count = Math.min(sendsPerRound, size - tally.sends);
        const sends = await storeRacingSends(db, { accountId, count, dice });
        const { submissions, refused } = await runRaceRound(db, { accountId, sends, dice });
        tally.refused += refused;
        await countRound(db, { accountId, sends, submissions }, tally);
        progress(`${tally.sends} of ${size} sends`);
      }
      const wrong =
        tally.submittedAfterCancel + tally.submittedAndEnded + tally.late + tally.notFinal + tally.miscounted;
      return {
        figure:
          `${tally.sends} sends (seed ${seed}) that three senders cancel, two workers claim and two ticks expire at the same time: ` +
          `${tally.cancelled} cancelled, ${tally.expired} expired, ${tally.sent} sent, ${tally.unknown} with an unknown outcome; ` +
          `${tally.refused} cancellations refused. ${tally.submittedAfterCancel} submitted after the cancellation was acknowledged, ` +
          `${tally.submittedAndEnded} recorded as cancelled or expired although the provider has the mail, ${tally.late} of ${tally.submissions} ` +
          `submissions after the expiry, ${tally.notFinal} without an outcome, ${tally.miscounted} wrong in quota or usage`,
        holds:
          wrong === 0 &&
          [tally.cancelled, tally.expired, tally.sent].every((count) => count > size / 20) &&
          tally.refused > size / 50,
      };
    }),
};

function newTally() {
  return {
    sends: 0,
    submissions: 0,
    cancelled: 0,
    expired: 0,
    sent: 0,
    unknown: 0,
    refused: 0,
    submittedAfterCancel: 0,
    submittedAndEnded: 0,
    late: 0,
    notFinal: 0,
    miscounted: 0,
  };
}

interface Round {
  accountId: string;
  sends: RacingSend[];
  submissions: Submission[];
}

async function countRound(db: Database, { accountId, sends, submissions }: Round, tally: ReturnType<typeof newTally>) {
  const records = await readRecords(db, accountId);
  const submissionsOf = Map.groupBy(submissions, ({ sendId }) => sendId);
  tally.sends += sends.length;
  tally.submissions += submissions.length;
  for (const { id, expiresAt, cancelledAt } of sends) {
    const { status, errorCode } = records.get(id) ?? { status: "gone", errorCode: null };
    const own = submissionsOf.get(id) ?? [];
    if (errorCode === "CANCELLED") tally.cancelled += 1;
    else if (errorCode === "EXPIRED") tally.expired += 1;
    else if (errorCode === "PROVIDER_OUTCOME_UNKNOWN") tally.unknown += 1;
    else if (status === "sent" || status === "delivered") tally.sent += 1;
    else tally.notFinal += 1;
    if ((errorCode === "CANCELLED" || errorCode === "EXPIRED") && own.some(({ isAccepted }) => isAccepted))
      tally.submittedAndEnded += 1;
    tally.submittedAfterCancel += own.filter(({ order }) => cancelledAt !== undefined && order > cancelledAt).length;
    tally.late += own.filter(({ at }) => expiresAt !== undefined && at > expiresAt).length;
  }
  const failed = [...records.values()].filter(({ status }) => status === "failed").length;
  const counts = await readCounts(db, accountId);
  tally.miscounted += Number(counts.failed !== failed) + Number(counts.queued !== -sends.length);
}

async function readRecords(db: Database, accountId: string) {
  const rows = await db.query<{ id: string; status: string; errorCode: string | null }>({
    name: "read-raced-records",
    text: `select id, status, error_code as "errorCode" from sends where account_id = $1`,
    values: [accountId],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every send has one recipient. They were stored without being counted, so the queue counts their removal alone. */
async function readCounts(db: Database, accountId: string): Promise<{ failed: number; queued: number }> {
  const [row] = await db.query<{ failed: number; queued: number }>({
    name: "read-raced-counts",
    text: `
      select
        (select coalesce(sum(amount), 0)::integer from usage_deltas where account_id = $1 and kind = ${usageKinds.failed}) as failed,
        (select coalesce(sum(difference), 0)::integer from queued_recipient_changes where account_id = $1) as queued`,
    values: [accountId],
  });
  return row ?? { failed: -1, queued: 0 };
}
