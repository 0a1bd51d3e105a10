import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { SesSimulator } from "@postern/ses-simulator";
import type { LedgerRecord } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import type { ReportedMail } from "../feedback/event-texts.ts";

export interface LedgerMail extends ReportedMail {
  fromDomain: string;
}

/** Reads the simulator's ledger while it grows; each call of `next` returns the mails accepted since the last call. */
export function openLedgerTail({ dataFolder }: Pick<SesSimulator, "dataFolder">): {
  next(): LedgerMail[];
  close(): void;
} {
  const file = openSync(join(dataFolder, "ledger.ndjson"), "r");
  const chunk = Buffer.alloc(1024 * 1024);
  let position = 0;
  let rest = Buffer.alloc(0);
  return {
    next() {
      const read = readSync(file, chunk, 0, chunk.length, position);
      position += read;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf("\n") + 1;
      rest = bytes.subarray(end);
      const lines = bytes.toString("utf8", 0, end).split("\n").filter(Boolean);
      return lines.map((line) => mailIn(JSON.parse(line) as LedgerRecord));
    },
    close: () => closeSync(file),
  };
}

export function readWholeLedger(simulator: Pick<SesSimulator, "dataFolder">): LedgerMail[] {
  const tail = openLedgerTail(simulator);
  try {
    const mails: LedgerMail[] = [];
    for (let next = tail.next(); next.length > 0; next = tail.next()) mails.push(...next);
    return mails;
  } finally {
    tail.close();
  }
}

function mailIn({ tags, messageId, acceptedAt, from, destination: { to, cc, bcc } }: LedgerRecord): LedgerMail {
  return {
    sendId: tags.send_id?.[0] ?? "",
    attempt: Number(tags.attempt?.[0]),
    messageId,
    acceptedAt,
    recipients: [...to, ...cc, ...bcc],
    fromDomain: /@([^@>]+)>?$/.exec(from)?.[1] ?? "",
  };
}
