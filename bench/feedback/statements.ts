import { randomUUIDv7 } from "node:crypto";
import { postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { inParallel } from "../../service/proofs/sending-client.ts";
import { storeSentSends } from "../../service/proofs/sent-sends.ts";
import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";
import type { Feedback } from "../../service/src/provider/feedback.ts";
import { anAccount } from "../../service/test/builders.ts";
import { type Comparison, compare, type Figures } from "../frame/compare.ts";

const setSize = 100;
const connections = 2;
const perSecondOfRun = 3_000;

/** The same rows, without SQS and the SDK: two connections with sets of 100; 2 % bounce for good, 0.2 % complain. */
export function compareStatements(
  db: Database,
  rounds: number,
  seconds: number,
  progress: (text: string) => void,
): Promise<Comparison> {
  const count = seconds * perSecondOfRun;
  const bare = { name: "yardstick", run: () => measure(db, count, insertPlain) };
  const ours = { name: "postern", run: () => measure(db, count, (set) => applyFeedback(db, set, Date.now())) };
  return compare([bare, ours], rounds, progress);

  function insertPlain(set: Feedback[]) {
    const rows = set.flatMap(({ sendId, kind, recipients, at }) =>
      recipients.map((recipient) => ({ sendId, kind, recipient, at })),
    );
    return db.query({
      name: "insert-plain-events",
      text: `
        insert into plain_events (id, send_id, event_type, recipient, event_timestamp)
        select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])`,
      values: [
        rows.map(() => randomUUIDv7()),
        rows.map(({ sendId }) => sendId),
        rows.map(({ kind }) => kind),
        rows.map(({ recipient }) => recipient),
        rows.map(({ at }) => at),
      ],
    });
  }
}

async function measure(db: Database, count: number, apply: (set: Feedback[]) => Promise<unknown>): Promise<Figures> {
  const told = await reports(db, count);
  const sets = Array.from({ length: Math.ceil(count / setSize) }, (_, set) =>
    told.slice(set * setSize, (set + 1) * setSize),
  );
  await db.query({ name: "analyze-sends", text: "analyze sends" });
  const cpu = await postgresCpuSeconds(db);
  const begun = performance.now();
  await inParallel(sets, connections, async (set) => void (await apply(set)));
  const seconds = (performance.now() - begun) / 1000;
  return { rate: count / seconds, cpu: { postgres: (((await postgresCpuSeconds(db)) - cpu) / count) * 1000 } };
}

async function reports(db: Database, count: number): Promise<Feedback[]> {
  const mails = await storeSentSends(db, { accountId: await anAccount(db), count });
  const told = mails.map(({ sendId, messageId, recipients, acceptedAt }, number): Feedback => {
    const about = {
      sendId,
      attempt: 1,
      providerMessageId: messageId,
      handedOverAt: acceptedAt,
      at: acceptedAt,
      recipients,
      feedbackId: `f-${sendId}`,
    };
    if (number % 500 === 499) return { ...about, kind: "complaint", complaintType: "abuse", isSpam: true };
    if (number % 50 === 49) return { ...about, kind: "bounce", bounce: { type: "Permanent", subtype: "General" } };
    return { ...about, kind: "delivery" };
  });
  return shuffled(told);
}

/** Reports come in another order than the mails were sent. */
function shuffled<Item>(items: Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}
