import type { Destination } from "../ledger/ledger-record.ts";
import { parseAddress } from "./address.ts";
import { type Content, readContent } from "./content.ts";
import { type Json, readObject, readObjects, readString, readStrings, requireString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";

export interface SendRequest {
  from: string;
  destination: Destination;
  replyTo: string[];
  content: Content;
  tags: Record<string, string[]>;
  configurationSetName: string | undefined;
  tenantName: string | undefined;
}

const maxRecipients = 50;

/** Checks the request itself, before any check against the account. */
export function readSendRequest(body: Json): SendRequest {
  const content = readContent(readObject(body, "Content"));
  const from = readString(body, "FromEmailAddress") ?? content.headerFrom;
  if (from === undefined || from === "") throw badRequest("FromEmailAddress is required.");
  parseAddress(from);
  const destination = readDestination(body, content);
  const replyTo = readStrings(body, "ReplyToAddresses");
  for (const address of replyTo) parseAddress(address);
  refuseUnsimulated(body);
  const configurationSetName = readString(body, "ConfigurationSetName") ?? content.headerConfigurationSet;
  const tenantName = readString(body, "TenantName");
  return { from, destination, replyTo, content, tags: readTags(body, content), configurationSetName, tenantName };
}

/** A raw mail without a Destination goes to the recipients in its headers. */
function readDestination(body: Json, content: Content): Destination {
  const given = readObject(body, "Destination");
  const destination: Destination =
    given === undefined
      ? content.headerDestination
      : {
          to: readStrings(given, "ToAddresses"),
          cc: readStrings(given, "CcAddresses"),
          bcc: readStrings(given, "BccAddresses"),
        };
  const all = [...destination.to, ...destination.cc, ...destination.bcc];
  if (all.length === 0) throw badRequest("Destination must name at least one recipient.");
  if (all.length > maxRecipients) throw badRequest(`Recipient count exceeds ${maxRecipients}.`);
  for (const address of all) parseAddress(address);
  return destination;
}

/** Tags of the request replace those of the X-SES-MESSAGE-TAGS header; SES does not merge them. */
function readTags(body: Json, content: Content): Record<string, string[]> {
  const given = readObjects(body, "EmailTags").map((tag) => [requireString(tag, "Name"), requireString(tag, "Value")]);
  const tags: Record<string, string[]> = {};
  for (const [name = "", value = ""] of given.length > 0 ? given : content.headerTags) {
    if (!isTagText(name) || !isTagText(value)) {
      throw badRequest(`Invalid tag <${name}>: 1 to 256 letters, digits, underscores and dashes in name and value.`);
    }
    if (Object.hasOwn(tags, name)) throw badRequest(`Duplicate tag <${name}>.`);
    tags[name] = [value];
  }
  return tags;
}

function isTagText(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,256}$/.test(text);
}

function refuseUnsimulated(body: Json): void {
  if (readObject(body, "ListManagementOptions") !== undefined) throw notFound("Contact list does not exist.");
}
