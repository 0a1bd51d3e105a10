import type { Feedback } from "../../src/provider/feedback.ts";
import type { ClaimedSend } from "../../src/queue/claim-sends.ts";
import type { Dice } from "../seeded-random.ts";

export const messageIdOf = ({ id }: { id: string }) => `m-${id}`;

/** What SES may report about a mail, each report one to three times. */
export function randomReports(dice: Dice, send: ClaimedSend): Feedback[] {
  const reports = send.recipients.flatMap((recipient, index) => reportsAbout(dice, send, recipient, index));
  const all = [{ ...common(send, [], "send"), kind: "send" as const }, ...reports];
  return all.flatMap((report) => Array.from({ length: 1 + dice.roll(3) }, () => report));
}

function reportsAbout(dice: Dice, send: ClaimedSend, recipient: string, index: number): Feedback[] {
  const about = (what: string) => common(send, [recipient], `${what}-${index}`);
  const delivery: Feedback = { ...about("delivery"), kind: "delivery" };
  const complaint: Feedback = { ...about("complaint"), kind: "complaint", complaintType: "abuse", isSpam: true };
  const bounce = (type: "Permanent" | "Transient"): Feedback => ({
    ...about(`bounce-${type}`),
    kind: "bounce",
    bounce: { type, subtype: "General" },
  });
  const histories = [
    [delivery],
    [bounce("Permanent")],
    [bounce("Transient"), delivery],
    [delivery, bounce("Permanent")],
    [delivery, complaint],
    [bounce("Permanent"), complaint],
    [],
  ];
  return histories[dice.roll(histories.length)] ?? [];
}

function common(send: ClaimedSend, recipients: string[], feedbackId: string) {
  const at = new Date().toISOString();
  return {
    providerMessageId: messageIdOf(send),
    sendId: send.id,
    attempt: send.attempt,
    submittedAt: at,
    at,
    recipients,
    feedbackId: `${send.id}-${feedbackId}`,
  };
}

export function shuffle<Item>(dice: Dice, items: readonly Item[]): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = dice.roll(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as Item, shuffled[last] as Item];
  }
  return shuffled;
}
