import { createBatch } from "../src/db/batch.ts";

export const batchLimits = { maxItems: 100, maxBytes: 1_000_000, sizeOf: () => 1 };

interface RecordedBatchOptions {
  secondBatchFrom?: number;
  maxItems?: number;
  maxBytes?: number;
  countOf?: (item: string) => number;
  answer?: (items: string[]) => Promise<string[]>;
}

/** A batch of strings, one byte per letter, that records the batches it ran. */
export function aRecordedBatch({
  answer = async (items) => items.map((item) => item.toUpperCase()),
  ...rest
}: RecordedBatchOptions = {}) {
  const ran: string[][] = [];
  const run = (items: string[]) => {
    ran.push(items);
    return answer(items);
  };
  return { ran, add: createBatch<string, string>({ ...batchLimits, sizeOf: (item) => item.length, ...rest, run }) };
}
