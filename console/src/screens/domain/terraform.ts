import { absoluteName, absoluteTarget, type PublishedRecord, quotedString, textStrings } from "./published-record.ts";

const ttlSeconds = 3600;

/** Resources for Amazon Route 53. The zone is a variable, because the domain may be in the zone of a parent. */
export function toTerraform(domainName: string, records: PublishedRecord[]): string {
  const names = resourceNames(domainName, records);
  const variable = `${identifier(domainName)}_zone_id`;
  const head = [
    `# Records of ${domainName} for Postern, in Amazon Route 53`,
    `variable "${variable}" {`,
    "  type        = string",
    `  description = ${hclString(`Id of the hosted zone that contains ${domainName}`)}`,
    "}",
  ].join("\n");
  const blocks = records.map((record, index) =>
    [
      `resource "aws_route53_record" "${names[index]}" {`,
      `  zone_id = var.${variable}`,
      `  name    = ${hclString(absoluteName(record.name))}`,
      `  type    = "${record.type}"`,
      `  ttl     = ${ttlSeconds}`,
      `  records = [${hclString(dataOf(record))}]`,
      "}",
    ].join("\n"),
  );
  return `${[head, ...blocks].join("\n\n")}\n`;
}

/** The provider adds the outer quotation marks of a TXT record itself; between strings they are ours. */
function dataOf(record: PublishedRecord): string {
  if (record.type !== "TXT") return absoluteTarget(record);
  return textStrings(record.value)
    .map((text) => quotedString(text).slice(1, -1))
    .join('""');
}

/** Also escapes the beginnings of template sequences. */
export function hclString(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
  return `"${escaped}"`;
}

function resourceNames(domainName: string, records: PublishedRecord[]): string[] {
  const counts = new Map<string, number>();
  return records.map((record) => {
    const base = `${identifier(domainName)}_${purposeOf(record, domainName)}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    const isOnly =
      records.filter((other) => purposeOf(other, domainName) === purposeOf(record, domainName)).length === 1;
    return isOnly ? base : `${base}_${count}`;
  });
}

function purposeOf({ type, name }: PublishedRecord, domainName: string): string {
  if (name.includes("._domainkey.")) return "dkim";
  if (name.startsWith("_postern-challenge.")) return "ownership";
  if (name.startsWith("_dmarc.")) return "dmarc";
  if (name !== domainName) return type === "MX" ? "mail_from" : "mail_from_spf";
  return type.toLowerCase();
}

/** A Terraform name begins with a letter or an underscore. */
function identifier(domainName: string): string {
  const name = domainName.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  return /^[a-z]/.test(name) ? name : `_${name}`;
}
