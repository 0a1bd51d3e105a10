import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";

const newline = 0x0a;
const chunkBytes = 1 << 20;

/** An append-only file of lines. Opening it removes an incomplete last line: no answer depended on it. */
export class LineFile<Value = unknown> {
  readonly path: string;
  readonly #file: number;
  #length: number;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "a+");
    this.#length = lengthOfCompleteLines(this.#file, statSync(path).size);
    ftruncateSync(this.#file, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  /** Throws when the disk is full. The next opening removes the incomplete line. */
  append(lines: string): void {
    const bytes = Buffer.from(lines);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    this.#length += bytes.length;
  }

  read(offset: number, length: number): string {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file, bytes, done, length - done, offset + done);
      if (count === 0) throw new Error(`${this.path} ends before byte ${offset + length}`);
      done += count;
    }
    return bytes.toString();
  }

  /** Reads every line with its offset, in chunks, because the file can be larger than the longest possible string. */
  *lines(from = 0, to = this.#length): Generator<{ offset: number; length: number; text: string }> {
    let remainder: Buffer = Buffer.alloc(0);
    for (let position = from; position < to; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - position));
      const count = readSync(this.#file, chunk, 0, chunk.length, position);
      if (count === 0) return;
      const bytes = Buffer.concat([remainder, chunk.subarray(0, count)]);
      let start = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        const offset = position - remainder.length + start;
        yield { offset, length: end - start, text: bytes.toString("utf8", start, end) };
        start = end + 1;
      }
      remainder = bytes.subarray(start);
      position += count;
    }
  }

  /** Parses every line as JSON. A damaged line stops the start, because no kill leaves one. */
  *values(): Generator<{ offset: number; length: number; value: Value }> {
    for (const { offset, length, text } of this.lines()) yield { offset, length, value: this.#parse(text, offset) };
  }

  close(): void {
    closeSync(this.#file);
  }

  #parse(text: string, offset: number): Value {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new Error(`${this.path} is damaged at byte ${offset}; move the data folder away to start empty`, { cause });
    }
  }
}

function lengthOfCompleteLines(file: number, size: number): number {
  const chunk = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const count = readSync(file, chunk, 0, end - start, start);
    const found = chunk.subarray(0, count).lastIndexOf(newline);
    if (found !== -1) return start + found + 1;
    end = start;
  }
  return 0;
}
