import type { Header } from "../../ledger/ledger-record.ts";

/** The headers up to the first empty line, unfolded. The text must be latin1: one character per byte. */
export function parseHeaders(mail: string): Header[] {
  const end = mail.search(/\r?\n\r?\n/);
  const block = end === -1 ? mail : mail.slice(0, end);
  const unfolded = block.replace(/\r?\n[ \t]+/g, " ");
  return unfolded.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [{ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }];
  });
}

export function headerValue(headers: Header[], lowerName: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === lowerName)?.value;
}

/** Splits an address list at commas outside quotes and angle brackets. */
export function addressesIn(value: string | undefined): string[] {
  if (value === undefined) return [];
  return (value.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,"<])+/g) ?? []).map((item) => item.trim()).filter(Boolean);
}
