import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { until } from "../until.ts";

/** Longer than the pause of a throttled send. */
const untilSentMs = 4_000;

export const cancelTests: Tests = {
  "10.2-01": async (check, context) => {
    const { id, answer } = await cancelledSend(context, (send) => path(send.id));
    check.status("the cancellation", answer, 200);
    check.equal("the send", answer.body?.id, id);
    await sleep(untilSentMs);
    const { body } = await context.admin.status("test", id);
    check.equal("its status later", [body?.status, body?.error_code, body?.sent_at], ["failed", "CANCELLED", null]);
  },
  "10.2-02": async (check, context) => {
    const { id, answer } = await cancelledSend(context, (send) => path(send.id));
    const again = await cancel(context, path(id));
    check.status("the second cancellation", again, 200);
    check.equal("the record", again.body, answer.body);
  },
  "10.2-03": async (check, context) => {
    const { accepted } = await context.fixtures.delivered();
    check.error("the cancellation of a delivered send", await cancel(context, path(accepted.id)), 409, "CONFLICT");
    const { body } = await context.admin.status("test", accepted.id);
    check.equal("its status", body?.status, "delivered");
  },
  "10.2-04": async (check, context) => {
    const idempotency_key = randomUUID();
    const byKey = "/api/v1/send/cancel";
    const { id, answer } = await cancelledSend(context, () => byKey, { idempotency_key });
    check.equal("the cancelled send", [answer.body?.id, answer.body?.error_code], [id, "CANCELLED"]);
    const unknown = await cancel(context, byKey, { idempotency_key: randomUUID() });
    check.error("an unknown key", unknown, 404, "NOT_FOUND");
  },
  "10.2-05": async (check, context) => {
    const { id } = await aWaitingSend(context);
    const answer = await context.other().withKey("test", "POST", path(id));
    check.error("the cancellation by another account", answer, 404, "NOT_FOUND");
    check.holds("the send is not cancelled", (await context.admin.status("test", id)).body?.error_code === null);
  },
  "10.2-13": async (check, context) => {
    const { rejected, bounced, fullySuppressed } = context.fixtures;
    for (const { record } of [await rejected(), await bounced(), await fullySuppressed()]) {
      const answer = await cancel(context, path(record.id));
      check.error(`the cancellation of a send that is ${record.status}`, answer, 409, "CONFLICT");
      check.equal("its record", (await context.admin.status("test", record.id)).body, record);
    }
  },
  "10.2-14": async (check, context) => {
    const { body: accepted } = await context.admin.send("test", testMail(context, "unknown"));
    const id = String(accepted?.id);
    const read = () => context.admin.status("test", id);
    await until(read, ({ body }) => body?.status !== "queued");
    check.error("the cancellation", await cancel(context, path(id)), 409, "CONFLICT");
    const { body } = await until(read, (each) => ["delivered", "failed"].includes(each.body?.status));
    check.equal("its status later", body?.status, "delivered");
  },
};

const path = (id: string) => `/api/v1/send/${id}/cancel`;

function cancel({ admin }: TestContext, to: string, body?: object): Promise<Answer> {
  return admin.withKey("test", "POST", to, body === undefined ? {} : { body });
}

/** The provider throttles it, so it waits for a second. */
async function aWaitingSend(context: TestContext, fields: object = {}): Promise<{ id: string }> {
  const { body } = await context.admin.send("test", { ...testMail(context, "throttled"), ...fields });
  return { id: String(body?.id) };
}

/** A worker may be submitting the send at the first try. */
async function cancelledSend(context: TestContext, to: (send: { id: string }) => string, fields?: object) {
  const send = await aWaitingSend(context, fields);
  for (let tries = 1; ; tries++) {
    const answer = await cancel(context, to(send), fields);
    if (answer.status !== 409 || tries === 20) return { ...send, answer };
    await sleep(50);
  }
}
