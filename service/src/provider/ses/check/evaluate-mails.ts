import type { Feedback } from "../../feedback.ts";
import { type Finding, note, ok, problem } from "../setup/finding.ts";
import type { SeenEvent } from "./collect-events.ts";
import { eventsOf, missingKinds, type SubmittedMail } from "./submitted-mail.ts";

const eventNames: Record<Feedback["kind"], string> = {
  send: "Send",
  delivery: "Delivery",
  bounce: "Bounce",
  complaint: "Complaint",
  reject: "Reject",
  delay: "DeliveryDelay",
};

/** SES stamps an event with its own clock. */
const clockToleranceMs = 60_000;

/** One finding for each mail: the events that arrived with their delays, or those that are missing. */
export function mailFinding(submitted: SubmittedMail, events: SeenEvent[], waitedSeconds: number): Finding {
  const { mail } = submitted;
  const seen = eventsOf(submitted, events);
  const texts = [...new Map(seen.map((event) => [describe(event), eventText(event, submitted)])).values()];
  const arrived = texts.length === 0 ? "no event" : texts.join(", ");
  const missing = missingKinds(submitted, events).map((kind) => eventNames[kind]);
  const what = `${mail.to}: ${arrived}`;
  if (missing.length > 0) {
    return problem(
      `mail.${mail.name}`,
      `${what}; SES did not report ${missing.join(" and ")} within ${waitedSeconds} seconds`,
      "fix the other problems first; then run the check again with a longer --timeout, and look at the delivery failures of the topic in CloudWatch",
    );
  }
  if (seen.some(({ feedback }) => isWrongBounce(submitted, feedback))) {
    const advice = "SES reports this bounce differently from what Postern expects: see docs/ses-assumptions.md";
    return problem(`mail.${mail.name}`, what, advice);
  }
  const unexpected = seen.filter(({ feedback }) => !isForeseen(submitted, feedback));
  if (unexpected.length > 0) {
    const names = unexpected.map(({ feedback }) => eventNames[feedback.kind]);
    return note(`mail.${mail.name}`, what, `nobody expected ${names.join(", ")}: see docs/ses-assumptions.md`);
  }
  return ok(`mail.${mail.name}`, what);
}

function isForeseen({ mail }: SubmittedMail, { kind }: Feedback): boolean {
  return mail.expects.includes(kind) || mail.mayReport.includes(kind);
}

function isWrongBounce({ mail }: SubmittedMail, feedback: Feedback): boolean {
  if (feedback.kind !== "bounce") return false;
  return (feedback.bounce.type === "Permanent") !== mail.expects.includes("bounce");
}

function describe({ feedback }: SeenEvent): string {
  const name = eventNames[feedback.kind];
  return feedback.kind === "bounce" ? `${name} ${feedback.bounce.type}/${feedback.bounce.subtype}` : name;
}

function eventText(event: SeenEvent, { startedAt }: SubmittedMail): string {
  return `${describe(event)} after ${((event.seenAt - startedAt) / 1000).toFixed(1)} s`;
}

/** What Postern assumes about every event and no document settles; docs/ses-assumptions.md lists it by these names. */
export function assumptionFindings(submitted: SubmittedMail[], events: SeenEvent[]): Finding[] {
  const pairs = submitted.flatMap((each) => eventsOf(each, events).map(({ feedback }) => [each, feedback] as const));
  if (pairs.length === 0) return [];
  const rules: [check: string, what: string, holds: (mail: SubmittedMail, feedback: Feedback) => boolean][] = [
    [
      "assumption.message-id",
      "events name the MessageId that SendEmail returned",
      ({ messageId }, { providerMessageId }) => messageId === providerMessageId,
    ],
    ["assumption.tags", "events return the tags send_id and attempt", (_, { attempt }) => attempt === 1],
    [
      "assumption.recipients",
      "events name the recipient as it was sent",
      ({ mail }, { recipients }) => recipients.length === 1 && recipients[0]?.toLowerCase() === mail.to,
    ],
    [
      "assumption.times",
      "events have the time at which SES accepted the mail",
      ({ between: [from, to] }, { submittedAt }) =>
        Date.parse(submittedAt) >= from - clockToleranceMs && Date.parse(submittedAt) <= to + clockToleranceMs,
    ],
  ];
  const findings = rules.map(([check, what, holds]) => {
    const broken = pairs.find(([mail, feedback]) => !holds(mail, feedback));
    if (broken === undefined) return ok(check, what);
    const [{ mail }, { kind }] = broken;
    const advice = "Postern relies on it: report it with the output of --json, see docs/ses-assumptions.md";
    return problem(check, `not true: ${what} (${eventNames[kind]} of ${mail.to})`, advice);
  });
  return [...findings, messageIdForm(submitted)];
}

/** Sixteen digits: four of the region, then the milliseconds since 1970. The search index is smaller because of it. */
function messageIdForm(submitted: SubmittedMail[]): Finding {
  const [check, what] = ["assumption.message-id-form", "MessageIds begin with the time of acceptance"];
  const other = submitted.find(({ messageId, between: [from, to] }) => {
    const time = Number.parseInt(/^[0-9a-f]{4}([0-9a-f]{12})-/.exec(messageId)?.[1] ?? "", 16);
    return !(time >= from - clockToleranceMs && time <= to + clockToleranceMs);
  });
  if (other === undefined) return ok(check, what);
  return note(check, `not true: ${what}`, "searching works all the same: see docs/ses-assumptions.md");
}
