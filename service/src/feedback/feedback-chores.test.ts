import { beforeEach, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat, deliveryTestDeps } from "../../test/delivery-deps.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { watchFeedback } from "./feedback-chores.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await change(database.db, "delete from sends");
  await change(database.db, "update feedback_progress set last_report_at = null, polled_at = null, gap_since = null");
});

/** Seconds ago; left out means never. */
interface Signs {
  sent?: number;
  told?: number;
  polled?: number;
}

const signs: [string, Signs, string | undefined][] = [
  ["nothing was ever handed over", {}, undefined],
  ["mail was handed over within the gap", { sent: 800 }, undefined],
  ["mail was handed over before the gap and nothing was ever told", { sent: 1_000 }, "not-told"],
  ["mail was handed over before the gap and told of", { sent: 1_000, told: 990 }, undefined],
  ["mail was handed over since it was last told of any", { sent: 1_000, told: 5_000 }, "not-told"],
  ["the queue was read within the gap", { polled: 800 }, undefined],
  ["the queue was not read for longer than the gap", { polled: 1_000 }, "not-polled"],
];

test.for(signs)("when %s", async ([, { sent, told, polled }, reason]) => {
  if (sent !== undefined) await aSubmittedSend(sent);
  await change(
    database.db,
    `update feedback_progress
     set last_report_at = now() - make_interval(secs => $1), polled_at = now() - make_interval(secs => $2)
     where mode = 'live'`,
    [told ?? null, polled ?? null],
  );
  expect(await watch()).toMatchObject(
    reason === undefined ? [] : [{ event: "feedback.missing", reason, level: "error" }],
  );
});

test("without a queue nobody expects it to be read", async () => {
  await change(database.db, "update feedback_progress set polled_at = now() - interval '1 day'");
  expect(await watch({ hasFeedbackQueue: false })).toEqual([]);
});

test("it is told once, whoever looks, and once more when feedback is back", async () => {
  await aSubmittedSend(1_000);
  const looks = await Promise.all(Array.from({ length: 4 }, () => watch()));
  expect(looks.flat()).toMatchObject([{ event: "feedback.missing" }]);
  expect(await watch()).toEqual([]);
  await change(database.db, "update feedback_progress set last_report_at = now()");
  expect(await watch()).toMatchObject([{ event: "feedback.resumed", level: "info" }]);
  expect(await watch()).toEqual([]);
});

async function watch(changes: { hasFeedbackQueue?: boolean } = {}) {
  const { deps, lines } = deliveryTestDeps(database.db, aProviderThat(answers.accepted).provider);
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
