import { postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { inParallel } from "../../service/proofs/sends/sending-client.ts";
import { storeSentSends } from "../../service/proofs/sends/sent-sends.ts";
import { textArray, uuidArray } from "../../service/src/db/array-param.ts";
import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";
import { eventIdOf } from "../../service/src/feedback/event-id.ts";
import type { Feedback } from "../../service/src/provider/feedback.ts";
import { anAccount } from "../../service/test/builders.ts";
import { type Comparison, compare, type Figures } from "../frame/compare.ts";

const batchSize = 100;
const connections = 2;
const perSecondOfRun = 3_000;

/** The same rows without SQS and the SDK: two connections, batches of 100; 2 % hard bounces, 0.2 % complaints. */
export function compareStatements(
  db: Database,
  rounds: number,
  seconds: number,
  progress: (text: string) => void,
): Promise<Comparison> {
  const count = seconds * perSecondOfRun;
  const insertInto = (name: string, table: string) => ({
    name,
    run: () => measure(db, count, (batch, accountId) => insertEvents(db, table, accountId, batch)),
  });
  const baseline = insertInto("baseline", "baseline_events");
  // Separates the cost of Postern's indexes by type and by send from the cost of its logic.
  const indexed = insertInto("baseline with Postern's four indexes", "baseline_indexed_events");
  const postern = { name: "postern", run: () => measure(db, count, (batch) => applyFeedback(db, batch, Date.now())) };
  return compare([baseline, postern, indexed], rounds, progress);
}

/** Inserts the rows that Postern stores, including their ids. The caller passes the account, which Postern has to look up. */
function insertEvents(db: Database, table: string, accountId: string, batch: Feedback[]) {
  const rows = batch.flatMap(rowsOf);
  return db.query({
    name: `insert-${table}`,
    text: `
      insert into ${table} (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
        complaint_type)
      select id, send_id, $8, 'live', event_type, event_at::timestamptz, recipient, bounce_type, bounce_subtype, complaint_type
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $9::text[])
        as given (id, send_id, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type)`,
    values: [
      uuidArray(rows.map(({ id }) => id)),
      uuidArray(rows.map(({ sendId }) => sendId)),
      textArray(rows.map(({ type }) => type)),
      textArray(rows.map(({ at }) => at)),
      textArray(rows.map(({ recipient }) => recipient)),
      textArray(rows.map(({ bounceType }) => bounceType)),
      textArray(rows.map(({ bounceSubtype }) => bounceSubtype)),
      accountId,
      textArray(rows.map(({ complaintType }) => complaintType)),
    ],
  });
}

const typeNames = new Map<string, string>([
  ["delivery", "Delivery"],
  ["bounce", "Bounce"],
  ["complaint", "Complaint"],
]);

function rowsOf(feedback: Feedback) {
  const { sendId = "", providerMessageId, at, feedbackId, kind } = feedback;
  const type = typeNames.get(kind) ?? "";
  return feedback.recipients.map((recipient) => ({
    id: eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }),
    sendId,
    type,
    at,
    recipient,
    bounceType: feedback.kind === "bounce" ? feedback.bounce.type : null,
    bounceSubtype: feedback.kind === "bounce" ? (feedback.bounce.subtype ?? null) : null,
    complaintType: feedback.kind === "complaint" ? (feedback.complaintType ?? null) : null,
  }));
}

type Apply = (batch: Feedback[], accountId: string) => Promise<unknown>;

async function measure(db: Database, count: number, apply: Apply): Promise<Figures> {
  const accountId = await anAccount(db);
  const feedback = await aFeedbackList(db, accountId, count);
  const batches = Array.from({ length: Math.ceil(count / batchSize) }, (_, batch) =>
    feedback.slice(batch * batchSize, (batch + 1) * batchSize),
  );
  await db.query({ name: "analyze-sends", text: "analyze sends" });
  const cpu = await postgresCpuSeconds(db);
  const begun = performance.now();
  await inParallel(batches, connections, async (batch) => void (await apply(batch, accountId)));
  const seconds = (performance.now() - begun) / 1000;
  return { rate: count / seconds, cpu: { postgres: (((await postgresCpuSeconds(db)) - cpu) / count) * 1000 } };
}

async function aFeedbackList(db: Database, accountId: string, count: number): Promise<Feedback[]> {
  const mails = await storeSentSends(db, { accountId, count });
  const feedback = mails.map(({ sendId, messageId, recipients, acceptedAt }, number): Feedback => {
    const about = {
      sendId,
      attempt: 1,
      providerMessageId: messageId,
      submittedAt: acceptedAt,
      at: acceptedAt,
      recipients,
      feedbackId: `f-${sendId}`,
    };
    if (number % 500 === 499) return { ...about, kind: "complaint", complaintType: "abuse", isSpam: true };
    if (number % 50 === 49) return { ...about, kind: "bounce", bounce: { type: "Permanent", subtype: "General" } };
    return { ...about, kind: "delivery" };
  });
  return shuffled(feedback);
}

/** Feedback arrives in another order than the mails were sent. */
function shuffled<Item>(items: Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}
