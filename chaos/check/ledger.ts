import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { LedgerRecord } from "../../ses-simulator/src/ledger/ledger-record.ts";

export interface LedgerEntry {
  messageId: string;
  attempt: number;
  acceptedAt: string;
  /** What the events that the simulator tells of this mail make of its status. */
  ending: "sent" | "delivered" | "bounced" | "complained";
}

/** What the provider accepted, by the id of our send: the oracle that shares no code with what is judged. */
export async function readLedgerBySend(file: string): Promise<Map<string, LedgerEntry[]>> {
  const bySend = new Map<string, LedgerEntry[]>();
  for await (const line of createInterface(createReadStream(file))) {
    const record: LedgerRecord = JSON.parse(line);
    const sendId = record.tags.send_id?.[0] ?? "";
    const entry = {
      messageId: record.messageId,
      attempt: Number(record.tags.attempt?.[0]),
      acceptedAt: record.acceptedAt,
      ending: endingOf(record),
    };
    bySend.set(sendId, [...(bySend.get(sendId) ?? []), entry]);
  }
  return bySend;
}

function endingOf({ events }: LedgerRecord): LedgerEntry["ending"] {
  const has = (type: string) => events.some(({ details }) => details.type === type);
  if (has("Complaint")) return "complained";
  if (has("Bounce")) return "bounced";
  return has("Delivery") ? "delivered" : "sent";
}
