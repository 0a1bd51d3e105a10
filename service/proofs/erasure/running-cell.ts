import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { markExpiredLeasesInDoubt } from "../../src/in-doubt/expired-leases.ts";
import { failInDoubt } from "../../src/in-doubt/resolve-in-doubt.ts";
import { bothModes } from "../../src/mode.ts";
import type { Feedback } from "../../src/provider/feedback.ts";
import { timeOfSendId } from "../../src/sends/send-id.ts";
import { foldUsage } from "../../src/usage/usage-chores.ts";
import { fanOut } from "../../src/webhooks/fan-out.ts";
import { change } from "../../test/send-rows.ts";
import type { Dice } from "../seeded-random.ts";
import { messageIdOf } from "../usage/random-reports.ts";
import type { ErasureDataset, LedgerSend } from "./erasure-dataset.ts";

export interface Reported {
  reports: number;
  /** Reports that would be quarantined. */
  unknown: number;
}

/** What goes on while data is erased or deleted: reports about mail to the addresses, webhooks, usage, and the end of leases. */
export async function runCell(
  db: Database,
  data: Pick<ErasureDataset, "addresses" | "ledger">,
  dice: Dice,
  isOver: () => boolean,
): Promise<Reported> {
  const wanted = new Set(data.addresses);
  const about = data.ledger.filter(({ recipients }) => recipients.some((recipient) => wanted.has(recipient)));
  const reported = { reports: 0, unknown: 0 };
  while (!isOver()) {
    await reportAbout(db, dice, pickSome(dice, about), reported);
    await foldUsage(db, 1_000);
    await fanOut(db, 200);
    await change(
      db,
      "update send_queue set due_at = now() where id in (select id from send_queue where state <> 'ready' limit 50 for update skip locked)",
    );
    for (const mode of bothModes) {
      await markExpiredLeasesInDoubt(db, mode);
      await failInDoubt(db, mode, { inDoubtSeconds: 0, inDoubtMaxSeconds: 0 });
    }
    await sleep(20);
  }
  // Once more, about every send: the provider may report again at any time.
  for (let start = 0; start < about.length; start += 50) {
    await reportAbout(db, dice, about.slice(start, start + 50), reported);
  }
  while ((await fanOut(db, 200)).isMore);
  return reported;
}

function pickSome(dice: Dice, sends: LedgerSend[]): LedgerSend[] {
  return Array.from({ length: 20 }, () => sends[dice.roll(sends.length)]).flatMap((send) => send ?? []);
}

/** The receiving server repeats the address. */
async function reportAbout(db: Database, dice: Dice, sends: LedgerSend[], reported: Reported): Promise<void> {
  const reports = sends.flatMap(({ id, recipients }) =>
    recipients.flatMap((recipient): Feedback[] => {
      const at = new Date(timeOfSendId(id) + 60_000 + dice.roll(3) * 1_000).toISOString();
      const common = {
        providerMessageId: messageIdOf(id, 1),
        sendId: id,
        attempt: 1,
        submittedAt: at,
        at,
        recipients: [recipient],
        feedbackId: `late-${recipient}`,
        replies: [{ status: "5.1.1", text: `550 <${recipient}> is unknown here` }],
      };
      const delay: Feedback = { ...common, kind: "delay" };
      const delivery: Feedback = { ...common, kind: "delivery", durationMs: 100 };
      const bounce: Feedback = { ...common, kind: "bounce", bounce: { type: "Transient", subtype: "General" } };
      return [delay, delivery, bounce, delivery];
    }),
  );
  const { verdicts } = await applyFeedback(db, reports, Date.now() + 300_000);
  reported.reports += reports.length;
  reported.unknown += verdicts.filter((verdict) => verdict === "unknown-send").length;
}
