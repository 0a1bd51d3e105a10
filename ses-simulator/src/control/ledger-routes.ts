import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError } from "../http/control-error.ts";
import { type LedgerRecord, recipientsOf } from "../ledger/ledger-record.ts";
import type { Simulation } from "../simulation.ts";

const maxLimit = 1000;

/** Lists the newest records first. `tag=name:value`, `recipient=` and `before=<MessageId>` filter them; a filter scans the ledger. */
export function listLedger(simulation: Simulation, { query }: Call): Reply {
  const before = query.get("before") ?? undefined;
  const matches = (record: LedgerRecord) => matchesQuery(record, query);
  const records = findRecords(simulation, { before, limit: limitOf(query), matches });
  return json(200, { total: simulation.ledger.size, records });
}

export function limitOf(query: URLSearchParams): number {
  return Math.min(maxLimit, Math.max(1, Number(query.get("limit") ?? 50) || 50));
}

interface RecordsQuery {
  before: string | undefined;
  limit: number;
  matches: (record: LedgerRecord) => boolean;
  /** How many of the newest records are read; the default is all. */
  newest?: number;
}

export function findRecords({ ledger }: Simulation, { before, limit, matches, newest }: RecordsQuery): LedgerRecord[] {
  const end = before === undefined ? ledger.size : ledger.positionOf(before);
  if (end === undefined) throw new ControlError(404, `Message ${before} does not exist.`);
  const oldest = Math.max(0, ledger.size - (newest ?? ledger.size));
  const records: LedgerRecord[] = [];
  for (let position = end - 1; position >= oldest && records.length < limit; position--) {
    const record = ledger.at(position);
    if (record !== undefined && matches(record)) records.push(record);
  }
  return records;
}

export function getLedgerRecord(simulation: Simulation, _call: Call, messageId: string): Reply {
  return json(200, requireRecord(simulation, messageId));
}

/** Exports the oldest records first, one record per line. */
export function exportLedger(simulation: Simulation): Reply {
  return { status: 200, headers: { "content-type": "application/x-ndjson" }, body: simulation.ledger.lines() };
}

export function requireRecord(simulation: Simulation, messageId: string): LedgerRecord {
  const record = simulation.ledger.find(messageId);
  if (record === undefined) throw new ControlError(404, `Message ${messageId} does not exist.`);
  return record;
}

function matchesQuery(record: LedgerRecord, query: URLSearchParams): boolean {
  const recipient = query.get("recipient")?.toLowerCase();
  if (recipient !== undefined && !recipientsOf(record).some((address) => address.toLowerCase().includes(recipient)))
    return false;
  return query.getAll("tag").every((tag) => {
    const colon = tag.indexOf(":");
    const [name, value] = colon === -1 ? [tag, undefined] : [tag.slice(0, colon), tag.slice(colon + 1)];
    const values = record.tags[name];
    return values !== undefined && (value === undefined || values.includes(value));
  });
}
