/** Outcomes of the simulated SES for live mail, by recipient. All accounts of a cell share it, so use addresses of your own. */
export type SimulatedOutcome = "bounce" | "soft-bounce" | "complaint" | "delay" | "refusal";

const rules: Record<SimulatedOutcome, object> = {
  bounce: { outcome: { kind: "bounce", bounceType: "Permanent", bounceSubType: "General" } },
  "soft-bounce": { outcome: { kind: "bounce", bounceType: "Transient", bounceSubType: "MailboxFull" } },
  complaint: { outcome: { kind: "complain", feedbackType: "abuse" } },
  // Without the delivery that ends a delay, the send stays as it is.
  delay: { outcome: { kind: "delay", delayType: "RecipientServerError" }, events: { lost: ["Delivery"] } },
  refusal: { fault: { kind: "error", name: "MessageRejected", message: "Email content contains a virus." } },
};

export async function simulateOutcome(simulatorUrl: string, recipient: string, outcome: SimulatedOutcome) {
  const rule = { match: { recipient }, ...rules[outcome] };
  const response = await fetch(`${simulatorUrl}/_simulator/rules`, { method: "POST", body: JSON.stringify(rule) });
  if (!response.ok) throw new Error(`the simulator refused the rule: ${await response.text()}`);
}
