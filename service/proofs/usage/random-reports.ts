import type { Database } from "../../src/db/database.ts";
import type { Feedback } from "../../src/provider/feedback.ts";
import { timeOfSendId } from "../../src/sends/send-id.ts";
import type { Dice } from "../seeded-random.ts";

interface ReportedSend {
  id: string;
  recipients: string[];
}

export function messageIdOf(sendId: string, attempt: number): string {
  return `m-${sendId}-${attempt}`;
}

/**
 * Every process picks from the same sends. A report proves that the provider accepted the send, so it leaves some out: a worker submits
 * them again.
 */
export function pickRecentSends(db: Database): Promise<ReportedSend[]> {
  return db.query<ReportedSend>({
    name: "recent-sends",
    text: `
      select id, to_addresses as recipients
      from sends
      where id > first_id_at(now() - interval '20 s') and hashtext(id::text) % 3 <> 0
      order by random()
      limit 30`,
    isPlannedEachTime: true,
  });
}

const kinds = ["send", "delivery", "delivery", "bounce", "soft", "complaint", "delay", "reject"] as const;

/**
 * What a provider may report about these sends, each report several times and in any order. The same report has the same content in
 * every process, so that copies are copies.
 */
export function randomReports(dice: Dice, sends: ReportedSend[]): Feedback[] {
  const reports = sends.flatMap((send) =>
    Array.from({ length: 1 + dice.roll(4) }, () => reportOf(dice, send)).flatMap((report) =>
      Array.from({ length: 1 + dice.roll(3) }, () => report),
    ),
  );
  for (let last = reports.length - 1; last > 0; last--) {
    const other = dice.roll(last + 1);
    const [one, two] = [reports[last], reports[other]];
    if (one !== undefined && two !== undefined) [reports[last], reports[other]] = [two, one];
  }
  return reports;
}

function reportOf(dice: Dice, { id, recipients }: ReportedSend): Feedback {
  const kind = kinds[dice.roll(kinds.length)] ?? "send";
  const attempt = 1 + (dice.roll(8) === 0 ? 1 : 0);
  const recipient = recipients[dice.roll(recipients.length)] ?? "";
  const sentMs = timeOfSendId(id);
  const about = {
    providerMessageId: messageIdOf(id, attempt),
    sendId: id,
    attempt,
    submittedAt: new Date(sentMs + 1_000).toISOString(),
    at: new Date(sentMs + 2_000 + 1_000 * kinds.indexOf(kind)).toISOString(),
    recipients: [recipient],
    feedbackId: `${kind}-${recipient}`,
  };
  switch (kind) {
    case "delivery":
      return { ...about, kind, durationMs: (sentMs % 24_000) * (recipient.length % 3) };
    case "bounce":
      return { ...about, kind, bounce: { type: "Permanent", subtype: "General" } };
    case "soft":
      return { ...about, kind: "bounce", bounce: { type: "Transient", subtype: "General" } };
    case "complaint":
      return { ...about, kind, complaintType: "abuse", isSpam: true };
    case "reject":
      return { ...about, kind, reason: "virus" };
    case "send":
    case "delay":
      return { ...about, kind };
  }
}
