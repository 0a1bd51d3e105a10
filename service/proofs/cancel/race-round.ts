import { setTimeout as sleep } from "node:timers/promises";
import { createCautiousClock } from "../../src/cautious-clock.ts";
import type { Database } from "../../src/db/database.ts";
import { tickQueue } from "../../src/delivery/queue-tick.ts";
import { settleAttempt } from "../../src/delivery/settle-attempt.ts";
import { type DeliveryDeps, submitSend } from "../../src/delivery/submit-send.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { createLog } from "../../src/log.ts";
import type { EmailProvider } from "../../src/provider/email-provider.ts";
import { deleteReports, takeDueReports } from "../../src/provider/sandbox/report-store.ts";
import { createSandbox } from "../../src/provider/sandbox/sandbox-provider.ts";
import { cancelSend } from "../../src/queue/cancel-send.ts";
import { type ClaimedSend, claimSends } from "../../src/queue/claim-sends.ts";
import { aDeliveryFixture } from "../../test/delivery-fixture.ts";
import type { Dice } from "../seeded-random.ts";
import type { RacingSend } from "./racing-sends.ts";

export interface Submission {
  sendId: string;
  /** Milliseconds since 1970, directly after the worker allowed the request. */
  at: number;
  /** The place in the order of this process, in which cancellations have one too. */
  order: number;
  /** The sandbox accepted the mail, with or without an answer. */
  isAccepted: boolean;
}

export interface RaceResult {
  submissions: Submission[];
  /** Cancellations that were refused, because a worker had the send or it had ended. */
  refused: number;
}

const cancellers = 3;
const workers = 2;
/** Shorter than the sandbox needs to report a lost answer: some sends in doubt are resent, cancelled or expire before the evidence comes. */
const rule = { inDoubtSeconds: 0.3, inDoubtMaxSeconds: 0.3, inDoubtPolicy: "resend" } as const;

/** Workers claim and submit, the sender cancels, and the ticks of two workers promote, expire and resend, all at the same time. */
export async function runRaceRound(
  db: Database,
  { accountId, sends, dice }: { accountId: string; sends: RacingSend[]; dice: Dice },
): Promise<RaceResult> {
  const submissions: Submission[] = [];
  let [order, refused, isOver] = [0, 0, false];
  const sandbox = createSandbox(db);
  const submit: DeliveryDeps["provider"]["submit"] = async (mail, mayStart = () => true) => {
    await sleep(dice.roll(20));
    if (!mayStart()) return { kind: "not-started", message: "The time to submit was over.", requestId: undefined };
    order += 1;
    const submission: Submission = { sendId: mail.tags.sendId, at: Date.now(), order, isAccepted: false };
    submissions.push(submission);
    const answer = await sandbox.submit(mail);
    submission.isAccepted = answer.kind === "accepted" || answer.kind === "unknown";
    return answer;
  };
  // Delivery calls no other method of the provider.
  const { deps } = aDeliveryFixture(db, { submit } as EmailProvider, {
    log: createLog("silent"),
    clock: createCautiousClock(),
  });
  const deliver = async (send: ClaimedSend, claimedAt: number) => {
    await sleep(dice.roll(30));
    await settleAttempt(deps, send, await submitSend(deps, send, claimedAt), { isProbe: false });
  };
  const work = async () => {
    while (!isOver) {
      const claimedAt = deps.clock();
      const some = { mode: "test", maxSends: 1 + dice.roll(4), maxRecipients: 10, fromFairAt: "-infinity" } as const;
      const claim = await claimSends(db, { ...some, isProbe: false });
      await Promise.all(claim.sends.map((send) => deliver(send, claimedAt)));
      if (claim.sends.length === 0) await sleep(5);
    }
  };
  const upkeep = async () => {
    for (; !isOver; await sleep(20)) await tickQueue({ ...deps, mode: "test", rule });
  };
  const toCancel = sends.filter(({ isToBeCancelled }) => isToBeCancelled).values();
  const cancel = async () => {
    const account = db.forAccount(accountId);
    for (const send of toCancel) {
      const answer = await cancelSend(account, { modes: ["test"], domain: undefined }, send.id);
      if (answer?.isCancelled === true) {
        order += 1;
        send.cancelledAt = order;
      } else refused += 1;
      await sleep(dice.roll(20));
    }
  };
  const others = [
    ...Array.from({ length: workers }, work),
    ...Array.from({ length: workers }, upkeep),
    applyReports(db, () => isOver),
  ];
  await Promise.all(Array.from({ length: cancellers }, cancel));
  while (!(await isDrained(db))) await sleep(50);
  isOver = true;
  await Promise.all(others);
  return { submissions, refused };
}

/** The evidence: the sandbox reports every mail that it accepted. */
async function applyReports(db: Database, isOver: () => boolean): Promise<void> {
  for (; !isOver(); await sleep(30)) {
    const due = await takeDueReports(db, 200);
    if (due.length === 0) continue;
    await applyFeedback(
      db,
      due.map(({ feedback }) => feedback),
      Date.now(),
    );
    await deleteReports(
      db,
      due.map(({ id }) => id),
    );
  }
}

async function isDrained(db: Database): Promise<boolean> {
  const [row] = await db.query<{ rest: boolean }>({
    name: "is-drained",
    text: `select exists (select from send_queue) or exists (select from sandbox_reports) as rest`,
  });
  return row?.rest === false;
}
