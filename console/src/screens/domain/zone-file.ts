import { absoluteName, absoluteTarget, type PublishedRecord, quotedString, textStrings } from "./published-record.ts";

const ttlSeconds = 3600;

/** Records in the format of RFC 1035, which DNS providers import. Names are absolute, so the file fits every zone of the domain. */
export function toZoneFile(domainName: string, records: PublishedRecord[]): string {
  const lines = records.map(
    (record) => `${absoluteName(record.name)} ${ttlSeconds} IN ${record.type} ${dataOf(record)}`,
  );
  return [`; Records of ${domainName} for Postern`, ...lines, ""].join("\n");
}

function dataOf(record: PublishedRecord): string {
  if (record.type !== "TXT") return absoluteTarget(record);
  return textStrings(record.value).map(quotedString).join(" ");
}
