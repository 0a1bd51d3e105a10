import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SesSimulator } from "@postern/ses-simulator";
import type { LedgerRecord } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import { type HostileMail, injected } from "./hostile-mails.ts";

/** The limit of SES for the encoded mail. */
const maxMailBytes = 40_000_000;

/** What the provider has accepted, by send. */
export function readReceived({ dataFolder }: Pick<SesSimulator, "dataFolder">): Map<string, LedgerRecord[]> {
  const lines = readFileSync(join(dataFolder, "ledger.ndjson"), "utf8").split("\n").filter(Boolean);
  const records = lines.map((line) => JSON.parse(line) as LedgerRecord);
  return Map.groupBy(records, ({ tags }) => tags.send_id?.[0] ?? "");
}

/** Undefined: the provider received the files and headers of the mail, and nothing else. */
export async function findDifference(
  { url }: Pick<SesSimulator, "url">,
  { files, headers }: HostileMail,
  records: LedgerRecord[] = [],
): Promise<string | undefined> {
  const [record] = records;
  if (record === undefined || records.length > 1) return `the provider has it ${records.length} times`;
  const received = (record.attachments ?? []).map((file) => ({
    filename: file.fileName,
    type: file.contentType,
    id: file.contentId,
    sha256: file.sha256,
    encoding: file.contentTransferEncoding,
    place: file.contentDisposition,
  }));
  const expected = files.map((file) => ({
    ...file,
    encoding: "BASE64",
    place: file.id === undefined ? "ATTACHMENT" : "INLINE",
  }));
  if (JSON.stringify(received) !== JSON.stringify(expected)) return `other files: ${JSON.stringify(received)}`;
  const custom = Object.fromEntries((record.customHeaders ?? []).map(({ name, value }) => [name, value]));
  if (JSON.stringify(custom) !== JSON.stringify(headers)) return `other headers: ${JSON.stringify(custom)}`;
  if (record.sizeBytes > maxMailBytes) return `${record.sizeBytes} bytes`;
  const raw = await (await fetch(`${url}/_simulator/mails/${record.messageId}/raw`)).text();
  return raw.split(/\r\n|\r|\n/).some((line) => line.startsWith(`${injected}:`)) ? "an injected header" : undefined;
}
