import fc from "fast-check";
import { expect, test } from "vitest";
import {
  aReport,
  aSubmittedSend,
  eventsOf,
  permanentBounce,
  recordOf,
  spamComplaint,
  suppressionsOf,
  transientBounce,
} from "../../test/feedback-report-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Feedback } from "../provider/feedback.ts";
import { applyFeedback } from "./apply-feedback.ts";
import type { OutcomeRank } from "./record-reports.ts";

/** The model states the ranks itself, so that a mistake in `record-reports.ts` shows. */
const modelRanks = { transientBounce: 1, delivered: 2, permanentBounce: 3, complained: 4 } as const;

const database = useTestDatabase();

const kinds = {
  delivery: { details: { kind: "delivery" }, rank: modelRanks.delivered },
  permanent: { details: permanentBounce, rank: modelRanks.permanentBounce },
  transient: { details: transientBounce, rank: modelRanks.transientBounce },
  complaint: { details: spamComplaint, rank: modelRanks.complained },
} as const;
type Kind = keyof typeof kinds;

test("a set of reports leads to the same record in any order and with any repetition", {
  timeout: 30_000,
}, async () => {
  const recipients = ["a@x.test", "b@x.test", "c@x.test"];
  const occurrence = fc.record({
    kind: fc.constantFrom<Kind>("delivery", "permanent", "transient", "complaint"),
    affected: fc.subarray(recipients, { minLength: 1 }),
    number: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(occurrence, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (occurrences, random) => {
        const send = await aSubmittedSend(database.db, recipients, { isSent: false });
        const at = (number: number) => new Date(Date.UTC(2026, 10, 15) + number * 1000).toISOString();
        const reports = occurrences.map(({ kind, affected, number }) => ({
          ...aReport(send, { ...kinds[kind].details, recipients: affected }),
          at: at(number),
          feedbackId: kind === "delivery" ? undefined : `f-${kind}-${number}`,
        }));
        // The provider sends each report one to three times, in random order and in random sets.
        const repeated = reports.flatMap((report) =>
          Array.from({ length: 1 + ((random.next().value ?? 0) % 3) }, () => report),
        );
        const shuffled = repeated
          .map((report) => ({ report, order: random.next().value ?? 0 }))
          .toSorted((one, other) => one.order - other.order)
          .map(({ report }) => report);
        for (let from = 0; from < shuffled.length; ) {
          const count = 1 + ((random.next().value ?? 0) % 4);
          await apply(shuffled.slice(from, from + count));
          from += count;
        }
        const outcomes = recipients.map((recipient) => {
          const own = occurrences.filter(({ affected }) => affected.includes(recipient));
          const ranks = own.map(({ kind }) => kinds[kind].rank);
          return Math.max(0, ...ranks) as OutcomeRank;
        });
        expect((await recordOf(database.db, send))?.status).toBe(statusFromOutcomes(outcomes));
        const expected = occurrences.flatMap(({ kind, affected, number }) =>
          affected.map((recipient) => `${kind} ${recipient} ${number}`),
        );
        expect(await eventsOf(database.db, send)).toHaveLength(new Set(expected).size);
        const suppressed = recipients.filter((_, index) => (outcomes[index] ?? 0) >= modelRanks.permanentBounce);
        expect((await suppressionsOf(database.db, send)).map(({ email }) => email)).toEqual(suppressed);
      },
    ),
    { numRuns: 40 },
  );
});

test("eight processes that apply the same reports in opposite orders store each once, without a deadlock", async () => {
  const sends = await Promise.all(
    Array.from({ length: 20 }, () => aSubmittedSend(database.db, ["jane@x.test"], { isSent: false })),
  );
  const reports = sends.flatMap((send) => [
    aReport(send, { kind: "send" }),
    { ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }), at: "2026-11-15T00:00:00.000Z" },
    {
      ...aReport(send, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f" }),
      at: "2026-11-15T00:00:01.000Z",
    },
  ]);
  await Promise.all(Array.from({ length: 8 }, (_, number) => apply(number % 2 === 0 ? reports : reports.toReversed())));
  for (const send of sends) {
    expect(await recordOf(database.db, send)).toMatchObject({ status: "bounced", isQueued: false });
    expect(await eventsOf(database.db, send)).toHaveLength(2);
  }
});

/** The status of a submitted send: the gravest outcome of its recipients. The model that `recordReports` must match. */
function statusFromOutcomes(outcomes: OutcomeRank[]): "sent" | "delivered" | "bounced" | "complained" {
  if (outcomes.includes(modelRanks.complained)) return "complained";
  if (outcomes.includes(modelRanks.permanentBounce) || outcomes.includes(modelRanks.transientBounce)) return "bounced";
  return outcomes.includes(modelRanks.delivered) ? "delivered" : "sent";
}

function apply(reports: Feedback[]) {
  return applyFeedback(database.db, reports, Date.now());
}

test("the id of an event has the millisecond that is shown as its time, so the order of ids is the order of time", async () => {
  const send = await aSubmittedSend(database.db, ["a@x.test", "b@x.test"]);
  const offsetsMs = [5, -1, 3, 3, 0, -86_400_000, 250];
  const times = offsetsMs.map((ms) => new Date(Date.now() + ms).toISOString().replace("Z", "987Z"));
  for (const [number, at] of times.entries()) {
    const report = {
      ...aReport(send, { ...transientBounce, recipients: ["a@x.test"] }),
      at,
      feedbackId: `f-${number}`,
    };
    await applyFeedback(database.db, [report, report], Date.now());
    await applyFeedback(database.db, [report], Date.now());
  }
  const rows = await change(
    database.db,
    `select e.event_at as at, time_of_id(e.id) as "idAt", s.queued_at as "acceptedAt"
     from events e
     join sends s on s.id = e.send_id
     where e.send_id = $1
     order by e.id`,
    [send.id],
  );
  expect(rows).toHaveLength(offsetsMs.length);
  expect(rows.map(({ at }) => at)).toEqual(rows.map(({ idAt }) => idAt));
  expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => String(at)).toSorted());
  expect(rows[0]?.at).toBe(rows[0]?.acceptedAt);
});
