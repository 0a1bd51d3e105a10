import { once } from "node:events";
import { createWriteStream } from "node:fs";

/** In every hundred lines: one is invalid, two repeat an earlier line, one is known as a complaint, and one has a note over two lines. */
const cycle = 100;
const invalidAt = 10;
const repeatsAt: readonly number[] = [20, 21];
const repeated = 19;
export const knownAt = 30;
const noteAt = 40;

export interface ImportFile {
  path: string;
  records: number;
  invalid: number;
  /** Different addresses. */
  addresses: number;
  /** Of these, those that the accounts suppress before the import. */
  known: number;
}

/** CSV with `size` records, with a multiple of 100. */
export async function writeImportFile(path: string, size: number): Promise<ImportFile> {
  const stream = createWriteStream(path);
  stream.write("email,reason,note\r\n");
  for (let number = 0; number < size; number++) {
    if (!stream.write(recordOf(number))) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
  const cycles = size / cycle;
  const [invalid, known] = [cycles, cycles];
  return { path, records: size, invalid, known, addresses: size - invalid - cycles * repeatsAt.length };
}

export function addressOf(number: number): string {
  return `recipient-${number}@import-${number % 97}.test`;
}

function recordOf(number: number): string {
  const place = number % cycle;
  if (place === invalidAt) return `"not, an address",manual,\r\n`;
  if (repeatsAt.includes(place)) return `${addressOf(number - place + repeated).toUpperCase()},complaint,\r\n`;
  if (place === noteAt) return `${addressOf(number)},hard_bounce,"said ""no""\r\nand meant it, twice"\r\n`;
  return `${addressOf(number)},${place % 3 === 0 ? "hard_bounce" : "manual"},\r\n`;
}
