import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import type { LedgerRecord } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import { recipientsOf } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import type { LoadedSend } from "./sdk-load.ts";

export interface ReceivedMail {
  cell: "source" | "target";
  messageId: string;
  recipient: string;
  acceptedAt: string;
}

export interface MailCounts {
  /** Accepted requests without a mail in either cell. */
  lost: LoadedSend[];
  /** Requests with more than one mail: in both cells, or twice in one. */
  doubled: LoadedSend[];
  /** Requests whose mail went out in the target. */
  inTarget: number;
}

/** Every mail that SES accepted in either cell, by its recipient. The ledgers share no code with Postern. */
export async function readMails(cells: Record<"source" | "target", ChaosCell>): Promise<Map<string, ReceivedMail[]>> {
  const mails = new Map<string, ReceivedMail[]>();
  for (const cell of ["source", "target"] as const) {
    for await (const line of createInterface(createReadStream(cells[cell].ledgerFile))) {
      const record = JSON.parse(line) as LedgerRecord; // The simulator writes whole lines of this shape.
      const { messageId, acceptedAt } = record;
      for (const recipient of recipientsOf(record)) {
        mails.set(recipient, [...(mails.get(recipient) ?? []), { cell, messageId, recipient, acceptedAt }]);
      }
    }
  }
  return mails;
}

export function countMail(sends: LoadedSend[], mails: Map<string, ReceivedMail[]>): MailCounts {
  const mailsOf = ({ recipient }: LoadedSend) => mails.get(recipient) ?? [];
  return {
    lost: sends.filter((send) => send.id !== undefined && mailsOf(send).length === 0),
    doubled: sends.filter((send) => mailsOf(send).length > 1),
    inTarget: sends.filter((send) => mailsOf(send).some(({ cell }) => cell === "target")).length,
  };
}
