import { join } from "node:path";
import type { GroupCommit } from "../disk/group-commit.ts";
import { LineFile } from "../disk/line-file.ts";
import type { LedgerRecord } from "./ledger-record.ts";

/** The limits of the records in memory. Custom headers and attachments can make a record large; the bytes of mails are never in it. */
const recentRecords = 4096;
const recentBytes = 32 * 1024 * 1024;
/** A commit writes many small mails at once. Large ones do not wait for each other in memory. */
const maxUnwrittenLength = 8 * 1024 * 1024;

/**
 * Every accepted message, in order, in an append-only file. Proofs compare it with what clients saw, to find lost and
 * duplicate sends. The ledger writes the content to a file of its own first, so a record never points at missing content.
 */
export class Ledger {
  readonly #records: LineFile<LedgerRecord>;
  readonly #mails: LineFile;
  readonly #commit: GroupCommit;
  readonly #entries: { messageId: string; offset: number; length: number }[] = [];
  readonly #positions = new Map<string, number>();
  readonly #recent = new Map<string, { record: LedgerRecord; length: number }>();
  #recentLength = 0;
  #unwrittenRecords = "";
  #unwrittenMails = "";
  #recordsEnd: number;
  #mailsEnd: number;

  constructor(folder: string, commit: GroupCommit, onRecord: (record: LedgerRecord) => void) {
    this.#mails = new LineFile(join(folder, "mail.ndjson"));
    this.#records = new LineFile(join(folder, "ledger.ndjson"));
    this.#mailsEnd = this.#mails.length;
    this.#recordsEnd = this.#records.length;
    for (const { offset, length, value: record } of this.#records.values()) {
      this.#index(record, offset, length);
      onRecord(record);
    }
    this.#commit = commit;
    commit.addWriter(() => this.#write());
  }

  get size(): number {
    return this.#entries.length;
  }

  append(accepted: Omit<LedgerRecord, "mail">, content: string): LedgerRecord {
    const mail = { offset: this.#mailsEnd, length: Buffer.byteLength(content) };
    const record: LedgerRecord = { ...accepted, mail };
    const line = JSON.stringify(record);
    const length = Buffer.byteLength(line);
    this.#unwrittenMails += `${content}\n`;
    this.#unwrittenRecords += `${line}\n`;
    this.#index(record, this.#recordsEnd, length);
    this.#mailsEnd += mail.length + 1;
    this.#recordsEnd += length + 1;
    this.#commit.requestWrite();
    if (this.#unwrittenMails.length > maxUnwrittenLength) this.#commit.writeNow();
    return record;
  }

  find(messageId: string): LedgerRecord | undefined {
    const position = this.#positions.get(messageId);
    return position === undefined ? undefined : this.at(position);
  }

  /** Position 0 is the oldest record. */
  at(position: number): LedgerRecord | undefined {
    const entry = this.#entries[position];
    if (entry === undefined) return undefined;
    const recent = this.#recent.get(entry.messageId)?.record;
    if (recent !== undefined) return recent;
    this.#commit.writeNow();
    return JSON.parse(this.#records.read(entry.offset, entry.length));
  }

  positionOf(messageId: string): number | undefined {
    return this.#positions.get(messageId);
  }

  contentOf(record: LedgerRecord): string {
    this.#commit.writeNow();
    return this.#mails.read(record.mail.offset, record.mail.length);
  }

  /** All lines, for the export. */
  *lines(): Generator<string> {
    this.#commit.writeNow();
    for (const { text } of this.#records.lines()) yield `${text}\n`;
  }

  close(): void {
    this.#records.close();
    this.#mails.close();
  }

  #index(record: LedgerRecord, offset: number, length: number): void {
    this.#positions.set(record.messageId, this.#entries.length);
    this.#entries.push({ messageId: record.messageId, offset, length });
    this.#recent.set(record.messageId, { record, length });
    this.#recentLength += length;
    for (const [messageId, oldest] of this.#recent) {
      if (this.#recent.size <= recentRecords && this.#recentLength <= recentBytes) return;
      this.#recent.delete(messageId);
      this.#recentLength -= oldest.length;
    }
  }

  #write(): void {
    if (this.#unwrittenRecords === "") return;
    this.#mails.append(this.#unwrittenMails);
    this.#records.append(this.#unwrittenRecords);
    this.#unwrittenMails = "";
    this.#unwrittenRecords = "";
  }
}
