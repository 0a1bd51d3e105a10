import { type SendStatus, sendStatuses } from "./send-filters.ts";

/** What a typed or pasted text means. */
export type Recognised =
  | { kind: "send"; id: string }
  | { kind: "filter"; name: FilterName; value: string }
  | { kind: "nothing" };

export type FilterName = "recipient" | "status" | "domain" | "provider_message_id" | "tag" | "since" | "until";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const address = /^[^\s@<>,;]+@[^\s@<>,;]+$/;
/** As SES writes them: 0102019a8c41e7b2-6d0f41c7-…-000000. */
const sesId = /^[0-9a-z]{8,}-[0-9a-z-]{8,}$/i;
const domainName = /^([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*$/u;
const tagText = /^[A-Za-z0-9_.-]{1,64}$/;
const names: Record<string, FilterName> = {
  to: "recipient",
  recipient: "recipient",
  status: "status",
  is: "status",
  domain: "domain",
  from: "domain",
  ses: "provider_message_id",
  tag: "tag",
  since: "since",
  until: "until",
};

/** Takes an address in any form that people paste, an id, a status, a domain, or `name:value`, such as `tag:receipt`. */
export function recogniseSearch(text: string): Recognised {
  const typed = text.trim();
  const [, name = "", value = ""] = /^([a-z]+):\s*(\S.*)$/i.exec(typed) ?? [];
  const filter = names[name.toLowerCase()];
  if (filter !== undefined) return recogniseFilter(filter, value.trim());
  const bare = bareAddress(typed);
  if (uuid.test(bare)) return { kind: "send", id: bare.toLowerCase() };
  if (address.test(bare)) return { kind: "filter", name: "recipient", value: bare };
  if (isStatus(bare.toLowerCase())) return { kind: "filter", name: "status", value: bare.toLowerCase() };
  if (domainName.test(bare.replace(/^@/, ""))) return { kind: "filter", name: "domain", value: bare.replace(/^@/, "") };
  if (sesId.test(bare)) return { kind: "filter", name: "provider_message_id", value: bare };
  return { kind: "nothing" };
}

function recogniseFilter(name: FilterName, value: string): Recognised {
  switch (name) {
    case "status":
      return isStatus(value.toLowerCase()) ? { kind: "filter", name, value: value.toLowerCase() } : { kind: "nothing" };
    case "recipient": {
      const bare = bareAddress(value);
      return address.test(bare) ? { kind: "filter", name, value: bare } : { kind: "nothing" };
    }
    case "domain": {
      const domain = bareAddress(value).replace(/^.*@/, "");
      return domainName.test(domain) ? { kind: "filter", name, value: domain } : { kind: "nothing" };
    }
    case "since":
    case "until": {
      const at = readTime(value);
      return at === undefined ? { kind: "nothing" } : { kind: "filter", name, value: at };
    }
    case "tag":
      return tagText.test(value) ? { kind: "filter", name, value } : { kind: "nothing" };
    case "provider_message_id":
      return { kind: "filter", name, value };
  }
}

/** `Jane Doe <jane@x>`, `mailto:jane@x` and `<jane@x>,` → jane@x */
function bareAddress(text: string): string {
  const inside = /<([^<>]+)>[\s,;]*$/.exec(text)?.[1] ?? text;
  return inside
    .replace(/^mailto:/i, "")
    .replace(/[,;]+$/, "")
    .trim();
}

/** A day or a time without a zone is one of the shown zone. */
function readTime(text: string): string | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const at = new Date(isDay ? `${text}T00:00:00` : text);
  return Number.isNaN(at.getTime()) || !/^\d{4}-/.test(text) ? undefined : at.toISOString();
}

function isStatus(text: string): text is SendStatus {
  return (sendStatuses as readonly string[]).includes(text);
}

/** What Enter will do with the text, shown beside the field. */
export function describeRecognised(recognised: Recognised): string {
  if (recognised.kind === "send") return "Enter opens this send";
  if (recognised.kind === "nothing") return "";
  const words: Record<FilterName, string> = {
    recipient: "Enter shows the mail to this address",
    status: "Enter shows sends with this status",
    domain: "Enter shows the mail from this domain",
    provider_message_id: "Enter finds this SES id",
    tag: "Enter shows sends with this tag",
    since: "Enter shows sends from then on",
    until: "Enter shows sends before then",
  };
  return words[recognised.name];
}
