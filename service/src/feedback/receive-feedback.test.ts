import { expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aReport, aSubmittedSend } from "../../test/feedback-report-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createDatabaseClock } from "../db/database-clock.ts";
import { createFeedbackReceiver } from "./receive-feedback.ts";

const database = useTestDatabase();

test("the delay of an applied event is measured from its time at the provider, that of an unknown send is not", async () => {
  const { deps, counted } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const { db, log, metrics } = deps;
  const receive = createFeedbackReceiver({ db, log, metrics, mode: "live", clock: createDatabaseClock(Date.now()) });
  const send = await aSubmittedSend(database.db, ["ann@example.test"]);
  const report = aReport(send, { kind: "delivery", at: new Date(Date.now() - 20_000).toISOString() });
  expect(await receive(report, "raw")).toBe("applied");
  expect(await receive({ ...report, sendId: undefined, providerMessageId: "unknown" }, "raw")).not.toBe("applied");
  const observed = (le: string) => counted("postern_feedback_delay_seconds", { kind: "delivery", le });
  expect([await observed("10"), await observed("30"), await observed("+Inf")]).toEqual([0, 1, 1]);
});
