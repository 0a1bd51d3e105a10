import type { Tests } from "../suite.ts";

/** What happens to a send after its acceptance, other than the reports of its delivery. */
export const lateChangeTests: Tests = {
  "3-23": async (check, { fixtures }) => {
    const { record } = await fixtures.rejectedAfterSent();
    check.equal("status", record.status, "failed");
    check.timestamp("sent_at", record.sent_at);
    check.text("provider_message_id", record.provider_message_id);
    check.matches("error_code", record.error_code, /^[A-Z][A-Z_]+$/);
    check.text("error_message", record.error_message);
  },
  "3-24": async (check, { fixtures }) => {
    const { accepted, record, payload, suppressed, events } = await fixtures.suppressedWhileQueued();
    check.holds(
      "the API accepted the mail for both recipients",
      !Object.hasOwn(accepted, "suppressed_recipients"),
      accepted,
    );
    const typesFor = (address: string | undefined) =>
      events.filter(({ recipient }) => recipient === address).map(({ event_type }) => event_type);
    check.equal("the events of the recipient that was suppressed later", typesFor(suppressed), ["Suppression"]);
    check.equal("the events of the other recipient", typesFor(payload.to[0]), ["Delivery"]);
    check.equal("status", record.status, "delivered");
  },
};
