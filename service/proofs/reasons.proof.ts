import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import type { Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import type { BounceCause } from "../src/events/reasons/bounce-causes.ts";
import { applyFeedback } from "../src/feedback/apply-feedback.ts";
import { readEvent } from "../src/provider/ses/feedback/read-event.ts";
import { bounceReplies } from "../test/bounce-replies.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { posternPath } from "../test/spawn-postern.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { eventText, type ReportedMail } from "./feedback/event-texts.ts";
import { hostileReplies, unknownReplies } from "./reasons/hostile-replies.ts";
import { storeSentSends } from "./sends/sent-sends.ts";

/** The causes that the promise names; "unreachable" is DNS. */
const named: BounceCause[] = [
  "unknown-mailbox",
  "mailbox-full",
  "policy",
  "spam",
  "unreachable",
  "too-large",
  "greylisted",
];
const recipientsPerSend = 50;
const longestReply = 1_000;

export const proof: Proof = {
  promise:
    "The reason of a bounce reaches API, timeline and operator with an explanation; unknown words arrive unchanged and hostile ones harmless",
  covers: [
    "service/migrations",
    "service/proofs/reasons",
    "service/src/api/v1/events",
    "service/src/api/v1/sends",
    "service/src/cli/admin/send.ts",
    "service/src/events",
    "service/src/feedback",
    "service/src/plain-text.ts",
    "service/src/provider/ses/feedback",
    "service/test/bounce-replies.ts",
  ],
  size: { small: 1, full: 20 },
  run: (rounds, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes, credentialDeps }) => {
      const accountId = await anAccount(db);
      const { accessToken } = await aLogin(db, credentialDeps.loginDeps, { accountId });
      const [name] = await db.query<{ name: string }>({
        name: "name",
        text: "select current_database()::text as name",
      });
      const databaseUrl = new URL(`/${name?.name}`, serverUrl).href;
      const get = createGet(processes[0]?.url ?? "", accessToken);
      const all = repliesToReport();
      const problems: string[] = [];
      for (let round = 0; round < rounds; round++) {
        for (let first = 0; first < all.length; first += recipientsPerSend) {
          const replies = all.slice(first, first + recipientsPerSend);
          const [mail] = await storeSentSends(db, { accountId, count: 1, recipientsOf: () => replies.length });
          if (mail === undefined) throw new Error("no send was stored");
          await report(db, mail, replies);
          const { events } = (await get(`/api/v1/events?email_id=${mail.sendId}&limit=100`)).data;
          const { entries } = await get(`/api/v1/send/${mail.sendId}/timeline`);
          const printed = await showSend(databaseUrl, mail.sendId);
          problems.push(...problemsOf(mail, replies, { events, entries, printed }));
          progress(`round ${round + 1} of ${rounds}, ${problems.length} problems`);
        }
      }
      problems.push(...(await storageProblems(db, all.length * rounds)));

      const fewest = Math.min(...named.map((cause) => all.filter((reply) => reply.cause === cause).length));
      const known = all.filter(({ cause }) => cause !== undefined).length;
      return {
        figure:
          `${known} replies of real servers (at least ${fewest} each of ${named.join(", ")}), ${unknownReplies.length} unknown and ` +
          `${hostileReplies.length} hostile ones, each ${rounds} times as bounce and as delay, every event reported twice, read through ` +
          `GET /events, the timeline and \`postern admin send show\`: ${problems.length} problems${problems
            .slice(0, 3)
            .map((one) => `; ${one}`)
            .join("")}`,
        holds: problems.length === 0 && fewest >= 10,
      };
    }),
};

interface Reply {
  text: string;
  /** Undefined for replies that no rule has to know. */
  cause: BounceCause | undefined;
  isHostile: boolean;
}

function repliesToReport(): Reply[] {
  return [
    ...bounceReplies.flatMap(([cause, texts]) => texts.map((text) => ({ text, cause, isHostile: false }))),
    ...unknownReplies.map((text) => ({ text, cause: undefined, isHostile: false })),
    ...hostileReplies.map((text) => ({ text, cause: undefined, isHostile: true })),
  ];
}

/** One bounce and one delay for each recipient, as SES writes them, each twice. */
async function report(db: Database, mail: ReportedMail, replies: Reply[]): Promise<void> {
  for (const [index, { text }] of replies.entries()) {
    const recipient = { emailAddress: mail.recipients[index], diagnosticCode: text, status: statusOf(text) };
    const part = {
      timestamp: mail.acceptedAt,
      feedbackId: `f-${mail.sendId}-${index}`,
      reportingMTA: `dns; ${text.slice(0, 2_000)}`,
    };
    const bounceType = isTransient(text) ? "Transient" : "Permanent";
    const bounce = { ...part, bounceType, bounceSubType: "General", bouncedRecipients: [recipient] };
    const deliveryDelay = { ...part, delayType: "General", delayedRecipients: [recipient] };
    const texts = [
      { eventType: "Bounce", bounce },
      { eventType: "DeliveryDelay", deliveryDelay },
    ].map((event) => JSON.stringify({ ...JSON.parse(eventText(mail, { type: "Send" })), ...event }));
    for (const event of [...texts, ...texts]) {
      const reading = readEvent(event);
      if (reading.kind !== "bounce" && reading.kind !== "delay")
        throw new Error(`an event was read as ${reading.kind}`);
      await applyFeedback(db, [reading], Date.now());
    }
  }
}

const statusOf = (text: string) => /\b[45]\.\d+\.\d+\b/.exec(text.slice(0, 200))?.[0];
const isTransient = (text: string) => /\b4\d\d\b/.test(text.slice(0, 200));

/** Printed text has no control characters; JSON has no lone surrogates; nothing changes the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

interface Read {
  // biome-ignore lint/suspicious/noExplicitAny: the proof compares the fields it reads
  events: any[];
  // biome-ignore lint/suspicious/noExplicitAny: the proof compares the fields it reads
  entries: any[];
  printed: string;
}

function problemsOf(mail: ReportedMail, replies: Reply[], { events, entries, printed }: Read): string[] {
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string) => isRight || problems.push(problem);
  check(!harmful.test(printed) && printed.isWellFormed(), "postern admin send show prints a control character");
  check(
    printed.split("\n").filter((line) => line === "Bounces").length === 1,
    "a reply adds lines to postern admin send show",
  );
  check(events.length === replies.length, `${events.length} events for ${replies.length} bounces`);
  for (const [index, { text, cause, isHostile }] of replies.entries()) {
    const recipient = mail.recipients[index] ?? "";
    const about = (problem: string) => `${problem}: ${JSON.stringify(text.slice(0, 60))}`;
    const event = events.find((one) => one.recipient === recipient);
    const entry = entries.find((one) => one.type === "event" && one.event.recipient === recipient)?.event;
    const delays = entries.filter((one) => one.type === "delayed" && one.recipient === recipient);
    const { explanation } = event ?? {};
    check(explanation?.meaning?.length > 0 && explanation?.next_step?.length > 0, about("no explanation"));
    check(cause === undefined || explanation?.cause === cause, about(`${explanation?.cause} instead of ${cause}`));
    check(JSON.stringify(entry) === JSON.stringify(event), about("the timeline differs from the events"));
    check(delays.length === 1, about(`${delays.length} delays`));
    check(
      printed.includes(`${recipient}: ${explanation?.meaning} ${explanation?.next_step}`),
      about("not explained to the operator"),
    );
    for (const [where, shown] of [
      ["bounce", event?.diagnostic],
      ["delay", delays[0]?.diagnostic ?? undefined],
      ["MTA", event?.reporting_mta?.replace("dns; ", "")],
    ] as const) {
      if (isHostile) {
        const isHarmless =
          (shown ?? "").length <= longestReply && !harmful.test(shown ?? "") && (shown ?? "").isWellFormed();
        check(isHarmless && !(shown ?? "").includes("\n"), about(`the ${where} is not harmless`));
        check(/^[\s\p{Cc}]*$/u.test(text) || (shown ?? "") !== "", about(`the ${where} is lost`));
      } else check(shown === text, about(`the ${where} says ${shown}`));
    }
    if (!isHostile) check(printed.includes(text), about("not printed unchanged"));
  }
  return problems;
}

async function storageProblems(db: Database, bounces: number): Promise<string[]> {
  const [row] = await db.query<{ events: number; delays: number; longest: number; quarantined: number }>({
    name: "stored-reasons",
    text: `
      select (select count(*) from events where event_type = 'Bounce') as events,
        (select count(*) from delivery_delays) as delays,
        (select max(greatest(length(reply), length(reporting_mta))) from events) as longest,
        (select count(*) from feedback_quarantine) as quarantined`,
  });
  const isRight =
    row?.events === bounces && row.delays === bounces && row.longest <= longestReply && row.quarantined === 0;
  return isRight ? [] : [`stored ${JSON.stringify(row)} for ${bounces} bounces`];
}

function createGet(url: string, accessToken: string) {
  return async (path: string) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${accessToken}` },
      signal: AbortSignal.timeout(30_000),
    });
    if (response.status !== 200) throw new Error(`GET ${path} was answered with ${response.status}`);
    // biome-ignore lint/suspicious/noExplicitAny: the proof compares the fields it reads
    return (await response.json()) as any;
  };
}

async function showSend(databaseUrl: string, sendId: string): Promise<string> {
  const child = spawn(process.execPath, [posternPath, "admin", "send", "show", sendId], {
    env: { DATABASE_URL: databaseUrl, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 30_000,
  });
  const [printed, [code]] = await Promise.all([textOf(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`postern admin send show ended with code ${code}`);
  return printed;
}
