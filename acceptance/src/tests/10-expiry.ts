import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { until } from "../until.ts";

const maxSeconds = 30 * 86_400;

export const expiryTests: Tests = {
  "10.2-06": async (check, context) => {
    const expires_at = inSeconds(3_600);
    const timed = await send(context, { expires_at });
    const record = await context.admin.status("test", String(timed.body?.id));
    check.equal("expires_at", record.body?.expires_at, expires_at);
    const short = await send(context, { ttl_seconds: 90 });
    const { body } = await context.admin.status("test", String(short.body?.id));
    check.equal("the time after queued_at", Date.parse(body?.expires_at) - Date.parse(body?.queued_at), 90_000);
  },
  "10.2-07": async (check, context) => {
    // The provider throttles every first attempt, and the second one comes a second later.
    for (let tries = 1; ; tries++) {
      const { body } = await context.admin.send("test", { ...testMail(context, "throttled"), ttl_seconds: 1 });
      const last = await until(
        () => context.admin.status("test", String(body?.id)),
        (answer) => !["queued", "processing"].includes(answer.body?.status),
      );
      // A fast second attempt is in time.
      if (last.body?.error_code !== "EXPIRED" && tries < 5) continue;
      check.equal("the send", [last.body?.status, last.body?.error_code], ["failed", "EXPIRED"]);
      await sleep(2_000);
      const { body: later } = await context.admin.status("test", String(body?.id));
      check.equal("the send later", [later?.status, later?.sent_at], ["failed", null]);
      return;
    }
  },
  "10.2-08": async (check, context) => {
    for (const wrong of [
      { expires_at: inSeconds(-60) },
      { expires_at: inSeconds(maxSeconds + 600) },
      { expires_at: "soon" },
      { ttl_seconds: 0 },
      { ttl_seconds: maxSeconds + 1 },
      { expires_at: inSeconds(60), ttl_seconds: 60 },
    ]) {
      check.error(JSON.stringify(wrong), await send(context, wrong), 422, "VALIDATION_ERROR");
    }
  },
  "10.2-09": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), expires_at: inSeconds(3_600), idempotency_key: randomUUID() };
    const first = await context.admin.send("test", mail);
    const again = await context.admin.send("test", mail);
    check.equal("the id of a repeat", again.body?.id, first.body?.id);
    const other = await context.admin.send("test", { ...mail, expires_at: inSeconds(7_200) });
    check.error("the same key with another expiry", other, 409, "CONFLICT");
  },
};

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

function send(context: TestContext, fields: object): Promise<Answer> {
  return context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
}
