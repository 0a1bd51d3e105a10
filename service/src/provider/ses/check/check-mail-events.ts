import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createSqsQueue } from "../feedback/sqs-queue.ts";
import { createSesProvider } from "../ses-provider.ts";
import { AwsActionError } from "../setup/aws-action.ts";
import { type Finding, ok, problem } from "../setup/finding.ts";
import type { SetUpCheckContext } from "../setup/set-up-check-context.ts";
import { type CheckMail, checkMails, outgoingMail } from "./check-mails.ts";
import { checkSignatures } from "./check-signatures.ts";
import { collectEvents, type EventCollector } from "./collect-events.ts";
import { assumptionFindings, mailFinding } from "./evaluate-mails.ts";
import { eventsOf, missingKinds, type Refusal, refusalFinding, type SubmittedMail } from "./submitted-mail.ts";
import { createCheckQueue, removeAbandonedQueues } from "./temporary-queue.ts";

export interface MailCheckOptions {
  /** The address of the sender. */
  from: string;
  topicArn: string;
  /** The limit for all events, after the last mail. */
  timeoutMs: number;
  /** Between the subscription and the first mail, because SNS documents no time after which a new subscription works. */
  settleMs: number;
  /** Where certificates are, for the simulator only. */
  certificateOrigin: string | undefined;
  /** Ends the check early; the temporary queue is removed all the same. */
  signal: AbortSignal;
  onProgress(progress: MailProgress): void;
}

export interface MailProgress {
  sent: number;
  mails: number;
  events: number;
  expected: number;
}

/** For each submitted mail what arrived, for the report to programs. */
export interface MailRecord {
  name: string;
  to: string;
  messageId: string;
  events: { kind: string; afterSeconds: number }[];
}

/** SES may report more than the expected events; nobody knows for how long to wait for those. */
const furtherEventsMs = 5_000;
const maxProbes = 2;

/**
 * Sends to the mailbox simulator of SES and waits for the events, in a queue of its own behind the topic of the cell.
 *
 * 1. The first mail is a probe. Without any event of it the others would prove nothing, so they are not sent.
 * 2. The workers of a running cell receive the same events and ignore them, by the tag of the mails.
 * 3. The temporary queue is removed in any case; one of a killed run by a later run.
 */
export async function* checkMailEvents(
  context: SetUpCheckContext,
  options: MailCheckOptions,
): AsyncGenerator<Finding, MailRecord[]> {
  const { topicArn } = options;
  const checkId = randomUUID();
  const queue = createCheckQueue(context, topicArn);
  let collector: EventCollector | undefined;
  const submitted: SubmittedMail[] = [];
  try {
    yield* await removeAbandonedQueues(context, topicArn);
    const { region, endpoints } = context.options;
    const queueUrl = await queue.open();
    const events = createSqsQueue({ region, endpoint: endpoints.sqs, queueUrl, topicArns: [topicArn], checkId });
    collector = collectEvents(events);
    await sleep(options.settleMs, undefined, { signal: options.signal });
    yield* sendAndWait({ context, options, checkId, collector, submitted });
  } catch (error) {
    if (options.signal.aborted) return [];
    if (!(error instanceof AwsActionError)) throw error;
    yield { check: "check.queue", state: "problem", what: "the temporary queue cannot be made", advice: error };
  } finally {
    await collector?.stop();
    yield* await queue.remove();
  }
  return submitted.map((each) => recordOf(each, collector));
}

interface Run {
  context: SetUpCheckContext;
  options: MailCheckOptions;
  checkId: string;
  collector: EventCollector;
  submitted: SubmittedMail[];
}

async function* sendAndWait(run: Run): AsyncGenerator<Finding> {
  const { options, collector, submitted } = run;
  const [probe, ...others] = checkMails;
  if (probe === undefined) return;
  const probed = await sendProbe(run, probe);
  if (probed !== undefined) return yield probed;
  for (const mail of others) {
    await sleep(run.context.options.pauseMs, undefined, { signal: options.signal });
    const refusal = await send(run, mail);
    if (refusal !== undefined) yield refusalFinding(mail, refusal);
  }
  const startedAt = performance.now();
  const isComplete = await waitFor(run, () =>
    submitted.every((each) => missingKinds(each, collector.events).length === 0),
  );
  if (isComplete) await waitForFurther(run);
  options.signal.throwIfAborted();
  // Without a reader, the missing events prove nothing about the mails.
  if (collector.failure() !== undefined) return yield* readingFindings(collector);
  const waitedSeconds = Math.round((performance.now() - startedAt) / 1000);
  yield* submitted.map((each) => mailFinding(each, collector.events, waitedSeconds));
  yield* readingFindings(collector);
  yield* assumptionFindings(submitted, collector.events);
  yield* await checkSignatures(options, collector.events);
}

/** Returns a finding if the other mails are pointless. The first mail can be too early for a new subscription, so there is a second. */
async function sendProbe(run: Run, probe: CheckMail): Promise<Finding | undefined> {
  const { options, collector, submitted } = run;
  for (let count = 1; count <= maxProbes; count++) {
    const refusal = await send(run, probe);
    if (refusal !== undefined) return refusalFinding(probe, refusal);
    const isSeen = () => submitted.some((each) => eventsOf(each, collector.events).length > 0);
    if (await waitFor(run, isSeen, options.timeoutMs / maxProbes)) {
      // Only a mail with events counts: the one before it may have been too early.
      submitted.splice(0, submitted.length, ...submitted.filter((each) => eventsOf(each, collector.events).length > 0));
      return undefined;
    }
    options.signal.throwIfAborted();
  }
  const cause = readingFindings(collector).find(({ state }) => state === "problem");
  return (
    cause ??
    problem(
      "mail.events",
      `no event of ${maxProbes} mails to ${probe.to} arrived within ${Math.round(options.timeoutMs / 1000)} seconds`,
      "fix the problems of the configuration set, the event destination and the topic; without any, SNS delivers late: use a longer --timeout",
    )
  );
}

async function send(
  { context, options, checkId, submitted, ...run }: Run,
  mail: CheckMail,
): Promise<Refusal | undefined> {
  const { region, endpoints } = context.options;
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: "", partition: "" });
  const sendId = randomUUID();
  const from = { name: "Postern check", address: options.from };
  const [startedAt, requestedAt] = [performance.now(), Date.now()];
  const result = await provider.submit(
    outgoingMail(mail, { from, configurationSetName: context.setName, checkId, sendId }),
    () => !options.signal.aborted,
  );
  options.signal.throwIfAborted();
  if (result.kind !== "accepted") return result;
  submitted.push({ mail, sendId, messageId: result.providerMessageId, startedAt, between: [requestedAt, Date.now()] });
  report({ context, options, checkId, submitted, ...run });
  return undefined;
}

/** Ends early when the operator interrupts the check, and reports each arrival. */
async function waitFor(run: Run, isReached: () => boolean, waitMs = run.options.timeoutMs): Promise<boolean> {
  const { collector, options } = run;
  const onAbort = () => void collector.stop();
  options.signal.addEventListener("abort", onAbort);
  try {
    return await collector.until(() => {
      report(run);
      return isReached();
    }, waitMs);
  } finally {
    options.signal.removeEventListener("abort", onAbort);
  }
}

async function waitForFurther(run: Run): Promise<void> {
  const { collector, submitted, options } = run;
  const hasAll = () =>
    submitted.every((each) => {
      const seen = new Set(eventsOf(each, collector.events).map(({ feedback }) => feedback.kind));
      return each.mail.mayReport.every((kind) => seen.has(kind));
    });
  await waitFor(run, hasAll, Math.min(furtherEventsMs, options.timeoutMs));
}

function report({ options, collector, submitted }: Run): void {
  const expected = submitted.flatMap(({ mail }) => mail.expects).length;
  const missing = submitted.flatMap((each) => missingKinds(each, collector.events)).length;
  options.onProgress({ sent: submitted.length, mails: checkMails.length, events: expected - missing, expected });
}

function readingFindings(collector: EventCollector): Finding[] {
  const failure = collector.failure();
  if (failure !== undefined) {
    const advice = new AwsActionError("sqs:ReceiveMessage", failure);
    return [{ check: "check.queue", state: "problem", what: "the temporary queue cannot be read", advice }];
  }
  const [reason] = collector.unreadable;
  if (reason !== undefined) {
    const what = `Postern cannot read ${collector.unreadable.length} of the messages (${reason})`;
    return [problem("assumption.readable", what, "report it with the output of --json, see docs/ses-assumptions.md")];
  }
  return [ok("assumption.readable", "Postern can read every event")];
}

function recordOf(submitted: SubmittedMail, collector: EventCollector | undefined): MailRecord {
  const { mail, messageId, startedAt } = submitted;
  const events = eventsOf(submitted, collector?.events ?? []).map(({ feedback, seenAt }) => ({
    kind: feedback.kind,
    afterSeconds: Math.round((seenAt - startedAt) / 10) / 100,
  }));
  return { name: mail.name, to: mail.to, messageId, events };
}
