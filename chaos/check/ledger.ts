import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { LedgerRecord } from "../../ses-simulator/src/ledger/ledger-record.ts";

export interface LedgerEntry {
  messageId: string;
  attempt: number;
  acceptedAt: string;
  /** The status that follows from the events that the simulator reports for this mail. */
  status: "sent" | "delivered" | "bounced" | "complained";
}

/** The mails that the provider accepted, by send id. The ledger shares no code with Postern, so it serves as the oracle. */
export async function readLedgerBySend(file: string): Promise<Map<string, LedgerEntry[]>> {
  const bySend = new Map<string, LedgerEntry[]>();
  for await (const line of createInterface(createReadStream(file))) {
    const record: LedgerRecord = JSON.parse(line);
    const sendId = record.tags.send_id?.[0] ?? "";
    const entry = {
      messageId: record.messageId,
      attempt: Number(record.tags.attempt?.[0]),
      acceptedAt: record.acceptedAt,
      status: statusOf(record),
    };
    bySend.set(sendId, [...(bySend.get(sendId) ?? []), entry]);
  }
  return bySend;
}

function statusOf({ events }: LedgerRecord): LedgerEntry["status"] {
  const has = (type: string) => events.some(({ details }) => details.type === type);
  if (has("Complaint")) return "complained";
  if (has("Bounce")) return "bounced";
  return has("Delivery") ? "delivered" : "sent";
}
