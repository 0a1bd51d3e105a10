import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Feedback } from "../provider/feedback.ts";
import { type AppliedFeedback, applyFeedback } from "./apply-feedback.ts";
import { type OutcomeRank, outcomeRanks, statusFromOutcomes } from "./rank-rule.ts";

const database = useTestDatabase();

interface TestSend {
  id: string;
  accountId: string;
  messageId: string;
}

/** Handed over at its first attempt, unless `isSent` is false: then its worker is still waiting for the answer. */
async function aSend(to: string[], { isSent = true } = {}): Promise<TestSend> {
  const { db } = database;
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const id = await aQueuedSend(db, { accountId, fromDomain, to });
  const messageId = `m-${randomBytes(8).toString("hex")}`;
  await db.query({
    name: "lease-send",
    text: `
      update send_queue
      set state = 'leased', attempt = 1, attempted_at = now(), due_at = now() + interval '1 minute'
      where id = $1`,
    values: [id],
  });
  const send = { id, accountId, messageId };
  if (isSent) await apply([aReport(send, { kind: "send" })]);
  return send;
}

type Specific = Feedback extends infer One
  ? One extends Feedback
    ? Omit<One, keyof Common> & Partial<Common>
    : never
  : never;
type Common = Pick<
  Feedback,
  "providerMessageId" | "sendId" | "attempt" | "submittedAt" | "at" | "recipients" | "feedbackId"
>;

function aReport(send: TestSend, specific: Specific): Feedback {
  const now = new Date().toISOString();
  return {
    providerMessageId: send.messageId,
    sendId: send.id,
    attempt: 1,
    submittedAt: now,
    at: now,
    recipients: [],
    feedbackId: undefined,
    ...specific,
  };
}

const permanent = { kind: "bounce", bounce: { type: "Permanent", subtype: "NoEmail" } } as const;
const transient = { kind: "bounce", bounce: { type: "Transient", subtype: "General" } } as const;
const spam = { kind: "complaint", complaintType: "abuse", isSpam: true } as const;

function apply(given: Feedback[]): Promise<AppliedFeedback> {
  return applyFeedback(database.db, given, Date.now());
}

async function recordOf({ id }: TestSend) {
  const [row] = await database.db.query<{ status: string; messageId: string; code: string | null; isQueued: boolean }>({
    name: "record-of",
    text: `
      select s.status, s.provider_message_id as "messageId", s.error_code as code, q.id is not null as "isQueued"
      from sends s
      left join send_queue q using (id)
      where s.id = $1`,
    values: [id],
  });
  return row;
}

function eventsOf({ id }: TestSend) {
  return database.db.query<Record<string, unknown>>({
    name: "events-of",
    text: `
      select id, event_type as type, recipient, bounce_type as "bounceType", bounce_subtype as "bounceSubtype",
        complaint_type as "complaintType"
      from events
      where send_id = $1
      order by id`,
    values: [id],
  });
}

function suppressionsOf({ accountId }: TestSend) {
  return database.db.query<{ email: string; reason: string }>({
    name: "suppressions-of",
    text: `select email, reason from suppressions where account_id = $1 order by email`,
    values: [accountId],
  });
}

describe("a report moves the send", () => {
  test("Delivery: delivered, with its event", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { kind: "delivery", recipients: ["jane@x.test"] })]);
    expect(await recordOf(send)).toMatchObject({ status: "delivered" });
    expect(await eventsOf(send)).toMatchObject([{ type: "Delivery", recipient: "jane@x.test", bounceType: null }]);
    expect(await suppressionsOf(send)).toEqual([]);
  });

  test("Permanent bounce: bounced, and the address is suppressed as hard_bounce", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { ...permanent, recipients: ["jane@x.test"], feedbackId: "f" })]);
    expect(await recordOf(send)).toMatchObject({ status: "bounced" });
    expect(await eventsOf(send)).toMatchObject([{ type: "Bounce", bounceType: "Permanent", bounceSubtype: "NoEmail" }]);
    expect(await suppressionsOf(send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("Transient bounce: bounced, and nobody is suppressed", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { ...transient, recipients: ["jane@x.test"] })]);
    expect(await recordOf(send)).toMatchObject({ status: "bounced" });
    expect(await suppressionsOf(send)).toEqual([]);
  });

  test("Complaint: complained, and the address is suppressed as complaint", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { ...spam, recipients: ["jane@x.test"] })]);
    expect(await recordOf(send)).toMatchObject({ status: "complained" });
    expect(await eventsOf(send)).toMatchObject([{ type: "Complaint", complaintType: "abuse" }]);
    expect(await suppressionsOf(send)).toEqual([{ email: "jane@x.test", reason: "complaint" }]);
  });

  test("what was told graver before is not taken back by what comes later", async () => {
    const send = await aSend(["jane@x.test"]);
    const statuses: unknown[] = [];
    for (const kind of [{ ...transient, feedbackId: "1" }, permanent, { kind: "delivery" } as const, spam, permanent]) {
      await apply([aReport(send, { ...kind, recipients: ["jane@x.test"] })]);
      statuses.push((await recordOf(send))?.status);
    }
    expect(statuses).toEqual(["bounced", "bounced", "bounced", "complained", "complained"]);
  });

  test("… also when it is told together with news of another recipient", async () => {
    const recipients = ["jane@x.test", "john@x.test"];
    const send = await aSend(recipients);
    await apply([aReport(send, { ...permanent, recipients: ["jane@x.test"] })]);
    await apply([aReport(send, { kind: "delivery", recipients })]);
    expect((await recordOf(send))?.status).toBe("bounced");
  });

  test("a complaint that is none of spam is recorded and suppresses nobody", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([
      aReport(send, { kind: "complaint", complaintType: "not-spam", isSpam: false, recipients: ["jane@x.test"] }),
    ]);
    expect(await eventsOf(send)).toHaveLength(1);
    expect(await suppressionsOf(send)).toEqual([]);
  });

  test("Reject: failed with PROVIDER_REJECTED, and no later report of the hand-over undoes it", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { kind: "reject", reason: "Bad content" })]);
    expect(await recordOf(send)).toMatchObject({
      status: "failed",
      code: "PROVIDER_REJECTED",
      messageId: send.messageId,
    });
    await apply([aReport(send, { kind: "send" })]);
    expect(await recordOf(send)).toMatchObject({ status: "failed" });
  });

  test("a delay and a repeated Send event change nothing", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { kind: "delay" }), aReport(send, { kind: "send" })]);
    expect(await recordOf(send)).toMatchObject({ status: "sent" });
    expect(await eventsOf(send)).toEqual([]);
  });
});

describe("who is meant", () => {
  test("an address is recognised whatever its letters, also an internationalised one", async () => {
    const send = await aSend(["Jane@X.test", "b@x.test"]);
    await apply([aReport(send, { ...permanent, recipients: ["JANE@x.TEST"] })]);
    expect(await suppressionsOf(send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("an address that is not of the send is its only recipient", async () => {
    const send = await aSend(["jane@x.test"]);
    await apply([aReport(send, { ...permanent, recipients: ["forwarded@elsewhere.test"] })]);
    expect(await eventsOf(send)).toMatchObject([{ recipient: "jane@x.test" }]);
    expect(await suppressionsOf(send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("with several recipients it is recorded as it was told, and blames nobody", async () => {
    const send = await aSend(["a@x.test", "b@x.test"]);
    await apply([aReport(send, { ...permanent, recipients: ["forwarded@elsewhere.test"] })]);
    expect(await recordOf(send)).toMatchObject({ status: "sent" });
    expect(await eventsOf(send)).toMatchObject([{ recipient: "forwarded@elsewhere.test" }]);
    expect(await suppressionsOf(send)).toEqual([]);
  });

  test("a complaint replaces the reason hard_bounce, and never the reverse", async () => {
    const send = await aSend(["a@x.test"]);
    await aSuppression(database.db, { accountId: send.accountId, email: "a@x.test" });
    await apply([aReport(send, { ...spam, recipients: ["a@x.test"] })]);
    expect(await suppressionsOf(send)).toEqual([{ email: "a@x.test", reason: "complaint" }]);
    await apply([aReport(send, { ...permanent, recipients: ["a@x.test"] })]);
    expect(await suppressionsOf(send)).toEqual([{ email: "a@x.test", reason: "complaint" }]);
  });

  test("a report that is told again does not bring back a suppression that was removed", async () => {
    const send = await aSend(["a@x.test"]);
    const report = aReport(send, { ...permanent, recipients: ["a@x.test"], feedbackId: "f" });
    await apply([report]);
    await database.db.query({
      name: "unsuppress",
      text: `delete from suppressions where account_id = $1`,
      values: [send.accountId],
    });
    await apply([report]);
    expect(await suppressionsOf(send)).toEqual([]);
  });
});

describe("evidence", () => {
  test.each<Specific>([{ kind: "send" }, { kind: "delivery", recipients: ["jane@x.test"] }, { kind: "delay" }])(
    "any report proves the hand-over before its worker has told of it: $kind",
    async (specific) => {
      const send = await aSend(["jane@x.test"], { isSent: false });
      const applied = await apply([aReport(send, specific)]);
      expect(applied.confirmed).toBe(1);
      expect(await recordOf(send)).toMatchObject({
        status: specific.kind === "delivery" ? "delivered" : "sent",
        messageId: send.messageId,
        isQueued: false,
      });
    },
  );

  test("reports of two attempts tell of one mail too many, once", async () => {
    const send = await aSend(["jane@x.test"]);
    const second = { ...aReport(send, { kind: "send" }), attempt: 2, providerMessageId: "another" };
    expect((await apply([second])).doubled).toEqual([send.id]);
    expect((await apply([second])).doubled).toEqual([]);
  });
});

describe("what cannot be applied", () => {
  test("a send that is not known, and a report without our tags", async () => {
    const send = await aSend(["jane@x.test"]);
    const stranger = { ...send, id: "01a1ddd0-0000-7000-8000-000000000000" };
    const untagged = { ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }), sendId: undefined };
    const known = aReport(send, { kind: "delivery", recipients: ["jane@x.test"] });
    const { verdicts } = await apply([aReport(stranger, { kind: "send" }), untagged, known]);
    expect(verdicts).toEqual(["unknown-send", "unknown-send", "applied"]);
  });

  test("a report from more than five minutes ahead", async () => {
    const send = await aSend(["jane@x.test"]);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const report = (ms: number) => ({
      ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }),
      at: at(ms),
    });
    expect((await apply([report(6 * 60_000), report(4 * 60_000)])).verdicts).toEqual(["from-the-future", "applied"]);
  });
});

const rankOf = {
  delivery: outcomeRanks.delivered,
  permanent: outcomeRanks.bouncedForGood,
  transient: outcomeRanks.bouncedForNow,
  complaint: outcomeRanks.complained,
};
type Kind = keyof typeof rankOf;

test("any set of reports, in any order and however often, leads to the same record", { timeout: 30_000 }, async () => {
  const people = ["a@x.test", "b@x.test", "c@x.test"];
  const happening = fc.record({
    kind: fc.constantFrom<Kind>("delivery", "permanent", "transient", "complaint"),
    who: fc.subarray(people, { minLength: 1 }),
    number: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (happenings, random) => {
        const send = await aSend(people, { isSent: false });
        const at = (number: number) => new Date(Date.UTC(2026, 10, 15) + number * 1000).toISOString();
        const specifics = { delivery: { kind: "delivery" }, permanent, transient, complaint: spam } as const;
        const reports = happenings.map(({ kind, who, number }) => ({
          ...aReport(send, { ...specifics[kind], recipients: who }),
          at: at(number),
          feedbackId: kind === "delivery" ? undefined : `f-${kind}-${number}`,
        }));
        // Each between one and three times, in an order of its own, in sets of its own.
        const told = reports.flatMap((report) =>
          Array.from({ length: 1 + ((random.next().value ?? 0) % 3) }, () => report),
        );
        const shuffled = told
          .map((report) => ({ report, place: random.next().value ?? 0 }))
          .toSorted((one, other) => one.place - other.place)
          .map(({ report }) => report);
        for (let from = 0; from < shuffled.length; ) {
          const count = 1 + ((random.next().value ?? 0) % 4);
          await apply(shuffled.slice(from, from + count));
          from += count;
        }
        const outcomes = people.map((person) => {
          const ranks = happenings.filter(({ who }) => who.includes(person)).map(({ kind }) => rankOf[kind]);
          return Math.max(0, ...ranks) as OutcomeRank;
        });
        expect((await recordOf(send))?.status).toBe(statusFromOutcomes(outcomes));
        const expected = happenings.flatMap(({ kind, who, number }) =>
          who.map((person) => `${kind} ${person} ${number}`),
        );
        expect(await eventsOf(send)).toHaveLength(new Set(expected).size);
        const blamed = people.filter((_, index) => (outcomes[index] ?? 0) >= outcomeRanks.bouncedForGood);
        expect((await suppressionsOf(send)).map(({ email }) => email)).toEqual(blamed);
      },
    ),
    { numRuns: 40 },
  );
});

test("eight processes that are told of the same sends in opposite orders record each once, without a deadlock", async () => {
  const sends = await Promise.all(Array.from({ length: 20 }, () => aSend(["jane@x.test"], { isSent: false })));
  const reports = sends.flatMap((send) => [
    aReport(send, { kind: "send" }),
    { ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }), at: "2026-11-15T00:00:00.000Z" },
    {
      ...aReport(send, { ...permanent, recipients: ["jane@x.test"], feedbackId: "f" }),
      at: "2026-11-15T00:00:01.000Z",
    },
  ]);
  await Promise.all(Array.from({ length: 8 }, (_, number) => apply(number % 2 === 0 ? reports : reports.toReversed())));
  for (const send of sends) {
    expect(await recordOf(send)).toMatchObject({ status: "bounced", isQueued: false });
    expect(await eventsOf(send)).toHaveLength(2);
  }
});
