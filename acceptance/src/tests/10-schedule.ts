import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { until } from "../until.ts";

const maxSeconds = 30 * 86_400;

export const scheduleTests: Tests = {
  "10.2-10": async (check, context) => {
    const { scheduled_at, answer } = await sendForLater(context);
    check.status("a scheduled send", answer, 202);
    const id = String(answer.body?.id);
    let early: Answer[] = [];
    const last = await until(
      () => context.admin.status("test", id),
      (each) => {
        if (Date.now() < Date.parse(scheduled_at) - 500) early = [...early, each];
        return each.body?.status === "delivered";
      },
    );
    const seen = early.map(({ body }) => [body?.status, body?.scheduled_at].join());
    check.equal("what the record says before its time", [...new Set(seen)], [["queued", scheduled_at].join()]);
    check.equal("the status later", last.body?.status, "delivered");
    check.holds("it is sent after its time", Date.parse(last.body?.sent_at) >= Date.parse(scheduled_at) - 500);
  },
  "10.2-11": async (check, context) => {
    for (const wrong of [
      { scheduled_at: inSeconds(maxSeconds + 600) },
      { scheduled_at: "soon" },
      { expires_at: inSeconds(60), scheduled_at: inSeconds(120) },
    ]) {
      check.error(JSON.stringify(wrong), await send(context, wrong), 422, "VALIDATION_ERROR");
    }
  },
  "10.2-12": async (check, context) => {
    const { subject, ...mail } = testMail(context, "delivered");
    const { body } = await context.admin.send("test", { ...mail, scheduled_at: inSeconds(600), subject });
    const id = String(body?.id);
    await until(
      () => context.admin.status("test", id),
      (each) => each.body?.status !== "queued",
      1,
    );
    const answer = await context.admin.withKey("test", "POST", `/api/v1/send/${id}/cancel`);
    check.status("the cancellation", answer, 200);
    check.equal("the send", [answer.body?.status, answer.body?.error_code], ["failed", "CANCELLED"]);
  },
};

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** After a 429, or on a slow machine, the time can be too near to read the record before it. Then another mail is sent. */
async function sendForLater(context: TestContext): Promise<{ scheduled_at: string; answer: Answer }> {
  for (let tries = 1; ; tries++) {
    let scheduled_at = "";
    const answer = await context.admin.sendAtTurn("test", () => {
      scheduled_at = inSeconds(3);
      return { ...testMail(context, "delivered"), scheduled_at };
    });
    if (tries === 10 || Date.now() < Date.parse(scheduled_at) - 2_000) return { scheduled_at, answer };
  }
}

function send(context: TestContext, fields: object): Promise<Answer> {
  return context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
}
