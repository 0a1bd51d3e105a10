import { postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { inParallel } from "../../service/proofs/sending-client.ts";
import { storeSentSends } from "../../service/proofs/sent-sends.ts";
import { textArray, uuidArray } from "../../service/src/db/array-param.ts";
import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";
import { eventIdOf } from "../../service/src/feedback/event-id.ts";
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
  const plain = (name: string, table: string) => ({
    name,
    run: () => measure(db, count, (set, accountId) => insertPlain(db, table, accountId, set)),
  });
  const bare = plain("yardstick", "plain_events");
  // Events are found by type and by send as well: what that alone costs, and the rest is what ours does with them.
  const indexed = plain("yardstick with the four indexes of ours", "plain_indexed_events");
  const ours = { name: "postern", run: () => measure(db, count, (set) => applyFeedback(db, set, Date.now())) };
  return compare([bare, ours, indexed], rounds, progress);
}

/** The very rows that ours stores, their ids included, by someone who has to be told whose they are. */
function insertPlain(db: Database, table: string, accountId: string, set: Feedback[]) {
  const rows = set.flatMap(rowsOf);
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

function rowsOf(told: Feedback) {
  const { sendId = "", providerMessageId, at, feedbackId, kind } = told;
  const type = typeNames.get(kind) ?? "";
  return told.recipients.map((recipient) => ({
    id: eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }),
    sendId,
    type,
    at,
    recipient,
    bounceType: told.kind === "bounce" ? told.bounce.type : null,
    bounceSubtype: told.kind === "bounce" ? (told.bounce.subtype ?? null) : null,
    complaintType: told.kind === "complaint" ? (told.complaintType ?? null) : null,
  }));
}

type Apply = (set: Feedback[], accountId: string) => Promise<unknown>;

async function measure(db: Database, count: number, apply: Apply): Promise<Figures> {
  const accountId = await anAccount(db);
  const told = await reports(db, accountId, count);
  const sets = Array.from({ length: Math.ceil(count / setSize) }, (_, set) =>
    told.slice(set * setSize, (set + 1) * setSize),
  );
  await db.query({ name: "analyze-sends", text: "analyze sends" });
  const cpu = await postgresCpuSeconds(db);
  const begun = performance.now();
  await inParallel(sets, connections, async (set) => void (await apply(set, accountId)));
  const seconds = (performance.now() - begun) / 1000;
  return { rate: count / seconds, cpu: { postgres: (((await postgresCpuSeconds(db)) - cpu) / count) * 1000 } };
}

async function reports(db: Database, accountId: string, count: number): Promise<Feedback[]> {
  const mails = await storeSentSends(db, { accountId, count });
  const told = mails.map(({ sendId, messageId, recipients, acceptedAt }, number): Feedback => {
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
  return shuffled(told);
}

/** Reports come in another order than the mails were sent. */
function shuffled<Item>(items: Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}
