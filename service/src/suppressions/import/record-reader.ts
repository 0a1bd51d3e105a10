/** A line of a file, or the lines of a CSV record whose quoted fields have line breaks. */
export type TextRecord = { line: number; text: string } | { line: number; problem: string };

export interface RecordReader {
  /** The records that end in this piece of the file. */
  push(chunk: string): TextRecord[];
  end(): TextRecord[];
}

/** No export has a longer record. It bounds the memory, whatever the file has. */
const maxLength = 64 * 1024;

/**
 * Splits text into records, with one record in memory. A quotation mark that is never closed would make one record of the rest of the
 * file: after 64 KiB its first line alone counts as a record with a problem, and reading continues with the next line.
 */
export function createRecordReader({ hasQuotes }: { hasQuotes: boolean }): RecordReader {
  let [pending, scanned, line] = ["", 0, 1];
  let [isQuoted, isSkipping] = [false, false];

  function take(isEnd: boolean): TextRecord[] {
    const records: TextRecord[] = [];
    let start = 0;
    const finish = (end: number, next: number, problem?: string) => {
      const text = pending.slice(start, end);
      if (isSkipping) records.push({ line, problem: "is longer than 64 KiB" });
      else if (problem !== undefined) records.push({ line, problem });
      else if (text.trim() !== "") records.push({ line, text: text.endsWith("\r") ? text.slice(0, -1) : text });
      line += linesOf(pending, start, next);
      [start, scanned, isQuoted, isSkipping] = [next, next, false, false];
    };
    const finishFirstLine = () => {
      const end = indexOrLength(pending, "\n", start);
      finish(end, Math.min(end + 1, pending.length), "has a quotation mark that is not closed");
    };
    for (;;) {
      const newline = pending.indexOf("\n", scanned);
      const end = newline === -1 ? pending.length : newline;
      if (hasQuotes && isOddNumber(quotesIn(pending.slice(scanned, end)))) isQuoted = !isQuoted;
      scanned = newline === -1 ? end : newline + 1;
      if (!isQuoted && newline !== -1) finish(newline, scanned);
      else if (isQuoted && scanned - start > maxLength) finishFirstLine();
      else if (newline === -1) {
        if (!isEnd || start === pending.length) break;
        if (isQuoted) finishFirstLine();
        else finish(end, end);
      }
    }
    pending = pending.slice(start);
    scanned -= start;
    if (pending.length > maxLength && !isQuoted) [pending, scanned, isSkipping] = ["", 0, true];
    return records;
  }

  return {
    push(chunk) {
      pending += chunk;
      return take(false);
    },
    end: () => take(true),
  };
}

function indexOrLength(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from);
  return index === -1 ? text.length : index;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

function linesOf(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

const isOddNumber = (count: number) => count % 2 === 1;
