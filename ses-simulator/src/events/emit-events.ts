import { randomUUID } from "node:crypto";
import type { LedgerRecord } from "../ledger/ledger-record.ts";
import { suppressedReasonsFor } from "../ses/account-operations.ts";
import type { MatchingEventType } from "../ses/configuration-set.ts";
import { isMailboxSimulator } from "../ses/mailbox-simulator.ts";
import { suppress } from "../ses/suppression-list.ts";
import type { Simulation } from "../simulation.ts";
import { fanOut, preparePublication } from "../sns/publish.ts";
import { eventJson } from "./event-json.ts";
import type { EventDetails, EventType, PendingEvent, PlannedEvent } from "./planned-event.ts";

const wireNames: Record<EventType, MatchingEventType> = {
  Send: "SEND",
  Delivery: "DELIVERY",
  Bounce: "BOUNCE",
  Complaint: "COMPLAINT",
  Reject: "REJECT",
  DeliveryDelay: "DELIVERY_DELAY",
};

/**
 * The commit writes the ledger record and the pending events to two files, the ledger first. The events file also
 * holds the count of scheduled records. After a kill between the two writes, the next start finds the records without events.
 */
export function scheduleEvents(simulation: Simulation, record: LedgerRecord): void {
  record.events.forEach((planned, number) => {
    if (planned.copies > 0) addPending(simulation, `${record.messageId}/${number}`, record, planned);
  });
  simulation.counters.set("scheduled-records", simulation.ledger.size);
}

/** Publishes an additional event of an accepted mail, at the request of a person or a test. */
export function triggerEvent(simulation: Simulation, record: LedgerRecord, details: EventDetails): void {
  const triggered = { details, at: new Date(simulation.clock.now()).toISOString() };
  simulation.triggered.set(record.messageId, [...(simulation.triggered.get(record.messageId) ?? []), triggered]);
  addPending(simulation, `${record.messageId}/${randomUUID()}`, record, { details, afterSeconds: 0, copies: 1 });
}

export function resumeEvents(simulation: Simulation): void {
  for (const key of simulation.pendingEvents.keys()) schedule(simulation, key);
  const scheduled = simulation.counters.get("scheduled-records") ?? 0;
  for (let position = scheduled; position < simulation.ledger.size; position++) {
    const record = simulation.ledger.at(position);
    if (record !== undefined) scheduleEvents(simulation, record);
  }
}

function addPending(simulation: Simulation, key: string, record: LedgerRecord, planned: PlannedEvent): void {
  if (record.configurationSetName === undefined && !changesSuppressionList(planned.details)) return;
  simulation.pendingEvents.set(key, {
    messageId: record.messageId,
    details: planned.details,
    copies: planned.copies,
    dueAt: simulation.clock.dueIn(planned.afterSeconds),
    feedbackId: `${record.messageId.slice(0, 16)}-${randomUUID()}-000000`,
  });
  schedule(simulation, key);
}

function schedule(simulation: Simulation, key: string): void {
  const pending = simulation.pendingEvents.get(key);
  if (pending !== undefined) simulation.clock.runWhenDue(pending.dueAt, () => void emit(simulation, key, pending));
}

/** One commit holds the deliveries to the subscribers and the removal of the pending event: a kill cannot separate them. */
async function emit(simulation: Simulation, key: string, pending: PendingEvent): Promise<void> {
  const record = simulation.ledger.find(pending.messageId);
  if (record === undefined) return;
  const at = simulation.clock.now();
  const message = eventJson(record, pending.details, {
    settings: simulation.settings,
    at,
    feedbackId: pending.feedbackId,
  });
  const topics = topicsFor(simulation, record, pending.details.type);
  const publications = await Promise.all(topics.map((topic) => preparePublication(simulation, topic, { message })));
  if (!simulation.pendingEvents.delete(key)) return;
  for (const publication of publications) fanOut(simulation, publication, pending.copies);
  updateSuppressionList(simulation, record, pending);
}

function topicsFor(simulation: Simulation, record: LedgerRecord, type: EventType): string[] {
  const set = simulation.configurationSets.get(record.configurationSetName ?? "");
  return (set?.destinations ?? [])
    .filter(({ enabled, matchingEventTypes }) => enabled && matchingEventTypes.includes(wireNames[type]))
    .map(({ topicArn }) => topicArn)
    .filter((topicArn) => !isLocked(simulation, topicArn));
}

/** SES may not use the key that AWS manages for topics. */
function isLocked({ topics }: Simulation, topicArn: string): boolean {
  return topics.get(topicArn)?.attributes.KmsMasterKeyId?.endsWith("alias/aws/sns") === true;
}

/** SES suppresses the address of a hard bounce or a complaint, unless the configuration set excludes the reason. */
function updateSuppressionList(
  simulation: Simulation,
  record: LedgerRecord,
  { details, feedbackId }: PendingEvent,
): void {
  if (!changesSuppressionList(details)) return;
  const reason = details.type === "Bounce" ? "BOUNCE" : "COMPLAINT";
  const set = simulation.configurationSets.get(record.configurationSetName ?? "");
  if (!suppressedReasonsFor(simulation, set).includes(reason)) return;
  for (const address of details.recipients.filter((recipient) => !isMailboxSimulator(recipient))) {
    suppress(simulation.suppressedDestinations, {
      address,
      reason,
      updatedAt: simulation.clock.now(),
      messageId: record.messageId,
      feedbackId,
    });
  }
}

function changesSuppressionList(details: EventDetails): details is EventDetails & { type: "Bounce" | "Complaint" } {
  if (details.type === "Complaint") return details.feedbackType !== "not-spam";
  return (
    details.type === "Bounce" &&
    details.bounceType === "Permanent" &&
    !["Suppressed", "OnAccountSuppressionList"].includes(details.bounceSubType)
  );
}
