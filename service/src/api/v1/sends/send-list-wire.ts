import { domainToUnicode } from "node:url";
import { z } from "zod";
import { parseHostName } from "../../../host-name.ts";
import type { SendFilter } from "../../../sends/send-filter.ts";
import { sendStatuses } from "../../../sends/send-store.ts";
import { recipientKeyOf } from "../events/event-wire.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  readingModeParameter,
  sinceParameter,
  textParameter,
  untilParameter,
} from "../list-wire.ts";
import { sendRecord } from "./send-response-wire.ts";

export const sendQuery = z.strictObject({
  limit: limitParameter,
  before: beforeParameter,
  mode: readingModeParameter,
  status: z.enum(sendStatuses).optional().describe("Sends with this status"),
  recipient: textParameter
    .optional()
    .describe("Sends with this address in `to`, `cc` or `bcc`, in any spelling. Found by index"),
  domain: textParameter.optional().describe("Sends from an address of this domain"),
  provider_message_id: textParameter.optional().describe("The send with this id at the provider. Found by index"),
  tag: textParameter.optional().describe("Sends with this tag"),
  since: sinceParameter,
  until: untilParameter,
});

export const sendList = z
  .object({
    success: z.literal(true),
    data: z.object({ sends: z.array(sendRecord).describe("Newest first"), pagination: cursorPagination }),
  })
  .describe("Sends of the account");

export function toSendFilter(query: z.infer<typeof sendQuery>): SendFilter {
  const { status, recipient, domain, provider_message_id, tag, before, since, until, limit } = query;
  return {
    status,
    recipient: recipient && recipientKeyOf(recipient),
    fromDomains: domain === undefined ? undefined : spellingsOf(domain),
    apiKeyId: undefined,
    tag,
    providerMessageId: provider_message_id,
    before,
    since,
    until,
    limit,
  };
}

/** `from_address` keeps the spelling of the request, so an international domain is stored as A-label or as U-label. */
function spellingsOf(domain: string): string[] {
  const ascii = parseHostName(domain);
  return typeof ascii === "string" ? [ascii, domainToUnicode(ascii), domain.toLowerCase()] : [domain.toLowerCase()];
}
