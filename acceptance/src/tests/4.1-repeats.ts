import { createRateLimiter } from "../rate-limiter.ts";
import type { TestContext, Tests } from "../suite.ts";

export const repeatTests: Tests = {
  "4.1-16": async (check, { fixtures, admin }) => {
    const { payload, accepted, suppressed } = await fixtures.partlySuppressed();
    const repeated = await admin.send("test", payload);
    check.equal("suppressed_recipients", repeated.body?.suppressed_recipients, [suppressed]);
    check.equal("the answer to the repeated request", repeated.body, { ...accepted, idempotent: true });
  },
  "4.1-17": async (check, context) => {
    const { payload, accepted } = await withGeneratedKey(context);
    const repeated = await context.admin.send("test", payload);
    check.status("the repeated request", repeated, 202);
    check.equal("the answer to the repeated request", repeated.body, { ...accepted, idempotent: true });
  },
  "4.1-18": async (check, context) => {
    const { payload } = await withGeneratedKey(context);
    const answer = await context.admin.send("test", { ...payload, subject: "Another" });
    check.error("another payload with the generated key", answer, 409, "CONFLICT");
  },
  "4.1-19": async (check, context) => {
    // Validations have the limits of sends, in windows of their own.
    const withinLimits = createRateLimiter();
    const validate = async (body: unknown) => {
      const request = () => context.admin.withKey("test", "POST", "/api/v1/send/validate", { body });
      return (await withinLimits(request)).body?.idempotency;
    };
    const generated = await withGeneratedKey(context);
    const { mail, first } = await context.fixtures.repeatedSend();
    for (const [payload, id] of [
      [generated.payload, generated.accepted.id],
      [mail, first.body?.id],
    ]) {
      check.equal("idempotency of a repeat", await validate(payload), { state: "repeat", id });
      const conflict = await validate({ ...payload, subject: "Another" });
      check.equal("state and id of a conflict", [conflict?.state, conflict?.id], ["conflict", id]);
    }
    check.equal(
      "state of a new key",
      (await validate({ ...mail, idempotency_key: `${mail.idempotency_key}-new` }))?.state,
      "new",
    );
  },
};

/** The fixture sent the payload without a key, and the answer named the key that the API generated. */
async function withGeneratedKey({ fixtures }: TestContext) {
  const { payload, accepted } = await fixtures.delivered();
  return { payload: { ...payload, idempotency_key: accepted.idempotency_key }, accepted };
}
