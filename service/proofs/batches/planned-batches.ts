import { createDice, type Dice } from "../seeded-random.ts";
import type { BatchVerdict } from "../sends/sending-client.ts";

/** What the verdict of a mail must be, whatever was lost on the way. */
type Expected = { key: string } | { status: 400 | 409 | 422 };

interface PlannedMail {
  body: Record<string, unknown>;
  expected: Expected;
}

export interface PlannedBatch {
  sender: number;
  /** The header gives the keys of mails without one. */
  batchKey: string | undefined;
  mails: PlannedMail[];
}

const maxMails = 100;

/**
 * Batches with `size` different mails to send, of random sizes. Some have their keys by the header. In the others, a few mails occur a
 * second time, in the same batch or in a later one, a few have the key of another mail and another subject, and a few can never be sent.
 */
export function planBatches(size: number, senders: number, seed: number): PlannedBatch[] {
  const dice = createDice(seed);
  const batches: PlannedBatch[] = [];
  const earlier: PlannedMail[][] = Array.from({ length: senders }, () => []);
  for (let planned = 0; planned < size; ) {
    const sender = dice.roll(senders);
    const count = Math.min(size - planned, 1 + dice.roll(80));
    const batchKey = dice.roll(4) === 0 ? `batch-${batches.length}` : undefined;
    const fresh = Array.from({ length: count }, (_, index) => aMail(planned + index, index, batchKey));
    const known = earlier[sender] ?? [];
    const extra =
      batchKey === undefined ? Array.from({ length: dice.roll(20) }, () => anExtra(dice, fresh, known)) : [];
    batches.push({ sender, batchKey, mails: [...fresh, ...extra].slice(0, maxMails) });
    if (batchKey === undefined) known.push(...fresh);
    planned += count;
  }
  return batches;
}

function aMail(number: number, index: number, batchKey: string | undefined): PlannedMail {
  const subject = `Order ${number}`;
  if (batchKey !== undefined) return { body: { subject }, expected: { key: `${batchKey}/${index}` } };
  const key = `mail-${number}`;
  return { body: { subject, idempotency_key: key }, expected: { key } };
}

function anExtra(dice: Dice, fresh: PlannedMail[], known: PlannedMail[]): PlannedMail {
  const pick = (mails: PlannedMail[]) => mails[dice.roll(mails.length)] as PlannedMail;
  switch (dice.roll(5)) {
    case 0:
      return pick(fresh);
    case 1:
      return pick(known.length === 0 ? fresh : known);
    case 2:
      // It stands behind the mail that has the key.
      return { body: { ...pick(fresh).body, subject: "Another subject" }, expected: { status: 409 } };
    case 3:
      return { body: { from: "a@unverified.test", idempotency_key: "unverified" }, expected: { status: 400 } };
    default:
      return { body: { to: [], idempotency_key: "invalid" }, expected: { status: 422 } };
  }
}

export function isAsExpected({ expected }: PlannedMail, verdict: BatchVerdict | undefined): boolean {
  if ("status" in expected) return verdict?.status === expected.status && verdict.error !== undefined;
  return verdict?.status === 202 && verdict.send?.idempotency_key === expected.key;
}
