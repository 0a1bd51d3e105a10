import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { retryQuarantined, watchFeedback } from "./feedback-chores.ts";
import { quarantine, takeDueQuarantined } from "./quarantine-store.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await change(database.db, "delete from sends");
  await change(database.db, "update feedback_progress set last_report_at = null, polled_at = null, gap_since = null");
});

/** Seconds ago; absent means never. */
interface Ages {
  submitted?: number;
  reported?: number;
  polled?: number;
}

const missing: [name: string, ages: Ages, reason: string][] = [
  ["a submission is older than the gap, and nothing was ever reported", { submitted: 1_000 }, "no-reports"],
  [
    "a submission is older than the gap, and the last report is older still",
    { submitted: 1_000, reported: 5_000 },
    "no-reports",
  ],
  ["the last receive is older than the gap", { polled: 1_000 }, "not-polled"],
];

test.for(missing)("feedback is missing when %s", async ([, ages, reason]) => {
  await setAges(ages);
  expect(await watch()).toMatchObject([{ event: "feedback.missing", reason, level: "error" }]);
});

const notMissing: [name: string, ages: Ages][] = [
  ["nothing was ever submitted", {}],
  ["the last submission is more recent than the gap", { submitted: 800 }],
  ["a submission is older than the gap, and something was reported after it", { submitted: 1_000, reported: 990 }],
  ["the last receive is more recent than the gap", { polled: 800 }],
];

test.for(notMissing)("feedback is not missing when %s", async ([, ages]) => {
  await setAges(ages);
  expect(await watch()).toEqual([]);
});

test("an installation without a feedback queue does not expect receives", async () => {
  await change(database.db, "update feedback_progress set polled_at = now() - interval '1 day'");
  expect(await watch({ hasFeedbackQueue: false })).toEqual([]);
});

test("of four processes one logs that feedback is missing, and one logs when it has resumed", async () => {
  await aSubmittedSend(1_000);
  const lines = await Promise.all(Array.from({ length: 4 }, () => watch()));
  expect(lines.flat()).toMatchObject([{ event: "feedback.missing" }]);
  expect(await watch()).toEqual([]);
  await change(database.db, "update feedback_progress set last_report_at = now()");
  expect(await watch()).toMatchObject([{ event: "feedback.resumed", level: "info" }]);
  expect(await watch()).toEqual([]);
});

test("a retry releases the entries that it applied and keeps the others", async () => {
  const [good, bad] = [aText(), aText()];
  await quarantine(database.db, [
    { reason: "unknown-send", raw: good },
    { reason: "unknown-send", raw: bad },
  ]);
  await makeDue();
  await retryQuarantined({
    db: database.db,
    log: createLog("silent"),
    read: (raw) => ({ kind: "unreadable", reason: raw }),
    receive: async (_, raw) => (raw === good ? "applied" : "unknown-send"),
  });
  await makeDue();
  const left = (await takeDueQuarantined(database.db, 100)).map((entry) => entry.raw);
  expect(left).toContain(bad);
  expect(left).not.toContain(good);
});

test("an entry that throws is postponed and does not block the others", async () => {
  const [good, broken] = [aText(), aText()];
  await quarantine(database.db, [
    { reason: "unknown-send", raw: good },
    { reason: "unknown-send", raw: broken },
  ]);
  await makeDue();
  await retryQuarantined({
    db: database.db,
    log: createLog("silent"),
    read: (raw) => ({ kind: "unreadable", reason: raw }),
    receive: (_, raw) => (raw === good ? Promise.resolve("applied") : Promise.reject(new Error("broken"))),
  });
  expect(await findEntry(good)).toBeUndefined();
  expect(await findEntry(broken)).toMatchObject({ tries: 1, seconds: 20 });
});

async function setAges({ submitted, reported, polled }: Ages): Promise<void> {
  if (submitted !== undefined) await aSubmittedSend(submitted);
  await change(
    database.db,
    `update feedback_progress
     set last_report_at = now() - make_interval(secs => $1), polled_at = now() - make_interval(secs => $2)
     where mode = 'live'`,
    [reported ?? null, polled ?? null],
  );
}

async function watch(changes: { hasFeedbackQueue?: boolean } = {}) {
  const { deps, lines } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const feedback = { feedbackGapSeconds: 900, hasFeedbackQueue: true, ...changes };
  await watchFeedback({ db: database.db, log: deps.log, feedback });
  return lines;
}

async function aSubmittedSend(secondsAgo: number): Promise<void> {
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, sent_at)
     values (first_id_at(now() - make_interval(secs => $2)), $1, 'live', 'sent', 'a@b.test', '{c@d.test}', 1, 0, 'Hello',
       now() - make_interval(secs => $2))`,
    [await anAccount(database.db), secondsAgo],
  );
}

function aText(): string {
  return `text ${randomBytes(6).toString("hex")}`;
}

async function makeDue(): Promise<void> {
  await change(database.db, "update feedback_quarantine set next_try_at = now() where next_try_at is not null");
}

async function findEntry(raw: string) {
  const [row] = await change(
    database.db,
    `select tries, round(extract(epoch from next_try_at - now()))::integer as seconds
     from feedback_quarantine
     where raw = $1`,
    [raw],
  );
  return row;
}
