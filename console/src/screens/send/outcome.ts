import type { Event, SendRecord, Timeline } from "../../api/api-types.ts";

/** What is known about one recipient. Words and next steps are in `explain-outcome.ts`, the summary is in `summary.ts`. */
export interface RecipientOutcome {
  address: string;
  state: OutcomeState;
  /** When the deciding report was made; undefined without one. */
  at: string | undefined;
  /** From the acceptance by Postern to the answer of the receiving server. */
  durationMs: number | undefined;
  /** What the receiving server said. */
  reply: string | undefined;
  replyStatus: string | undefined;
  /** The mail server that said it, if SES names it. */
  server: string | undefined;
  /** The server of SES that sent the mail: the administrator of the receiving server finds it in their log. */
  sentBy: string | undefined;
  bounce: { isPermanent: boolean; explanation: Event["explanation"] } | undefined;
  /** The delivery before a complaint or a late bounce. */
  deliveredAt: string | undefined;
  complaintType: string | undefined;
  delay: { type: string; retriedUntil: string | undefined } | undefined;
  suppression: { reason: Event["suppression_reason"]; since: string | undefined } | undefined;
  /** SES reported about an address that is not in the send: the mail was forwarded to it. */
  isForwarded: boolean;
}

export type OutcomeState =
  | "queued"
  | "processing"
  | "in-doubt"
  | "sent"
  | "delayed"
  | "delivered"
  | "bounced"
  | "complained"
  | "suppressed"
  | "failed";

type Entry = Timeline["entries"][number];
type Delayed = Extract<Entry, { type: "delayed" }>;
type Attempt = Extract<Entry, { type: "attempt" }>;

/** One outcome for each recipient of the send, in the order of the send; addresses that it was forwarded to come last. */
export function outcomesOf(send: SendRecord, timeline: Timeline): RecipientOutcome[] {
  const { entries } = timeline;
  const events = byRecipient(entries.flatMap((entry) => (entry.type === "event" ? [entry.event] : [])));
  const delays = byRecipient(entries.filter((entry) => entry.type === "delayed"));
  const suppressed = new Set(
    entries.flatMap((entry) => (entry.type === "accepted" ? entry.suppressed_recipients : [])).map(keyOf),
  );
  const waiting = stateWithoutReport(timeline);
  const facts = { acceptedAt: send.queued_at, waiting };
  const listed = send.to_addresses.map((address) => {
    const key = keyOf(address);
    return outcomeOf(address, {
      ...facts,
      events: events.get(key) ?? [],
      delays: delays.get(key) ?? [],
      isSuppressed: suppressed.has(key),
    });
  });
  const known = new Set(send.to_addresses.map(keyOf));
  const forwarded = [...events].filter(([key]) => !known.has(key));
  return [
    ...listed,
    ...forwarded.map(([key, reports]) => ({
      ...outcomeOf(reports[0]?.recipient ?? key, { ...facts, events: reports, delays: [], isSuppressed: false }),
      isForwarded: true,
    })),
  ];
}

interface Reports {
  acceptedAt: string;
  waiting: OutcomeState;
  events: Event[];
  delays: Delayed[];
  isSuppressed: boolean;
}

const nothing: Omit<RecipientOutcome, "address" | "state"> = {
  at: undefined,
  durationMs: undefined,
  reply: undefined,
  replyStatus: undefined,
  server: undefined,
  sentBy: undefined,
  bounce: undefined,
  deliveredAt: undefined,
  complaintType: undefined,
  delay: undefined,
  suppression: undefined,
  isForwarded: false,
};

/** As the API ranks reports: transient bounce, delivered, permanent bounce, complained. */
function outcomeOf(address: string, { acceptedAt, waiting, events, delays, isSuppressed }: Reports): RecipientOutcome {
  const newest = (matches: (event: Event) => boolean) => events.findLast(matches);
  const complaint = newest(({ event_type }) => event_type === "Complaint");
  const delivery = newest(({ event_type }) => event_type === "Delivery");
  const hard = newest(({ event_type, bounce_type }) => event_type === "Bounce" && bounce_type === "Permanent");
  const soft = newest(({ event_type, bounce_type }) => event_type === "Bounce" && bounce_type !== "Permanent");
  const suppression = newest(({ event_type }) => event_type === "Suppression");
  const after = (event: Event) => Math.max(0, Date.parse(event.event_timestamp) - Date.parse(acceptedAt));
  const delivered = { deliveredAt: delivery?.event_timestamp };
  if (complaint !== undefined) {
    const answer = delivery === undefined ? {} : { durationMs: after(delivery), ...replyOf(delivery) };
    const { event_timestamp: at, complaint_type: complaintType } = complaint;
    return { ...nothing, address, state: "complained", at, complaintType, ...delivered, ...answer };
  }
  if (hard !== undefined) return { ...nothing, address, ...bounced(hard, true), durationMs: after(hard), ...delivered };
  if (delivery !== undefined) {
    const state = "delivered" as const;
    return {
      ...nothing,
      address,
      state,
      at: delivery.event_timestamp,
      durationMs: after(delivery),
      ...replyOf(delivery),
    };
  }
  if (soft !== undefined) return { ...nothing, address, ...bounced(soft, false), durationMs: after(soft) };
  if (suppression !== undefined || isSuppressed) {
    const { suppression_reason: reason, suppressed_at: since } = suppression ?? {};
    return {
      ...nothing,
      address,
      state: "suppressed",
      at: suppression?.event_timestamp,
      suppression: { reason, since },
    };
  }
  return withoutReport(address, waiting, delays.at(-1));
}

function bounced(event: Event, isPermanent: boolean) {
  const { event_timestamp: at, explanation, diagnostic, bounce_status, reporting_mta } = event;
  const reply = { reply: withoutType(diagnostic), replyStatus: bounce_status, ...serverOf(reporting_mta) };
  return { state: "bounced" as const, at, bounce: { isPermanent, explanation }, ...reply };
}

function replyOf({ smtp_response, reporting_mta }: Event) {
  return { reply: smtp_response, ...serverOf(reporting_mta) };
}

/** A failed or still queued send says more than an older delay. */
function withoutReport(address: string, waiting: OutcomeState, delay: Delayed | undefined): RecipientOutcome {
  if (delay === undefined || waiting !== "sent") return { ...nothing, address, state: waiting };
  const { at, delay_type: type, retried_until, diagnostic, status } = delay;
  return {
    ...nothing,
    address,
    state: "delayed",
    at,
    reply: withoutType(diagnostic ?? undefined),
    replyStatus: status ?? undefined,
    delay: { type, retriedUntil: retried_until ?? undefined },
  };
}

/** The state of a recipient whom no report mentions. */
function stateWithoutReport({ status, entries }: Timeline): OutcomeState {
  switch (status) {
    case "queued":
    case "failed":
    case "suppressed":
      return status;
    case "processing":
      return lastAttempt(entries)?.outcome === "unknown" ? "in-doubt" : "processing";
    case "sent":
    case "delivered":
    case "bounced":
    case "complained":
      return "sent";
  }
}

export function lastAttempt(entries: readonly Entry[]): Attempt | undefined {
  return entries.findLast((entry) => entry.type === "attempt");
}

/** Whether a later report can still change the page soon. */
export function isOpen(outcomes: readonly RecipientOutcome[]): boolean {
  return outcomes.some(({ state }) => ["queued", "processing", "in-doubt", "sent", "delayed"].includes(state));
}

const order: OutcomeState[] = [
  "failed",
  "bounced",
  "complained",
  "in-doubt",
  "delayed",
  "queued",
  "processing",
  "sent",
  "suppressed",
  "delivered",
];

const problems = new Set<OutcomeState>(["failed", "bounced", "complained", "in-doubt", "delayed"]);

export function isProblem({ state }: RecipientOutcome): boolean {
  return problems.has(state);
}

export function problemsFirst(outcomes: readonly RecipientOutcome[]): RecipientOutcome[] {
  return outcomes.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
}

/** Reports spell an address as the send does, unless SES changed its case. */
export function keyOf(address: string): string {
  return address.toLowerCase();
}

function byRecipient<Report extends { recipient: string }>(reports: Report[]): Map<string, Report[]> {
  return Map.groupBy(reports, ({ recipient }) => keyOf(recipient));
}

/** SES writes "dns; mx1.example.com", and mostly names its own server, which sent the mail. */
function serverOf(mta: string | undefined): Pick<RecipientOutcome, "server" | "sentBy"> {
  const name = withoutType(mta);
  return name?.endsWith(".amazonses.com") === true
    ? { server: undefined, sentBy: name }
    : { server: name, sentBy: undefined };
}

/** "smtp; 550 5.1.1 User unknown" → "550 5.1.1 User unknown" */
export function withoutType(text: string | undefined): string | undefined {
  return text?.replace(/^(smtp|dns|dsn|x-[a-z-]+);\s*/i, "");
}
