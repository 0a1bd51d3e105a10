import { createHash } from "node:crypto";
import { scheduleEvents } from "../events/emit-events.ts";
import type { EventOptions } from "../events/event-options.ts";
import { planEvents } from "../events/plan-events.ts";
import type { Header, LedgerRecord } from "../ledger/ledger-record.ts";
import type { Simulation } from "../simulation.ts";
import { accountOf } from "./account-operations.ts";
import { parseAddress } from "./address.ts";
import type { ConfigurationSet } from "./configuration-set.ts";
import { requireConfigurationSet } from "./configuration-set-operations.ts";
import type { Content } from "./content.ts";
import { findAuthorisingIdentity, type Identity } from "./identity.ts";
import { isMailboxSimulator } from "./mailbox-simulator.ts";
import { messageIdHeader, newMessageId } from "./message-id.ts";
import { simpleHeaders } from "./mime/simple-headers.ts";
import type { Json } from "./read-json.ts";
import { readSendRequest, type SendRequest } from "./send-request.ts";
import { SesError } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";
import { requireTenantAccess } from "./tenant-operations.ts";

/** SES keeps at most 10 KB of headers in an event. */
const maxHeaderBytes = 10_240;

export function sendEmail(simulation: Simulation, { body, requestId }: SesRequest, options: EventOptions): Json {
  const request = readSendRequest(body);
  const recipients = addressSpecs(request);
  requireSendingAccount(simulation);
  const identity = requireVerified(simulation, request, recipients);
  const set = requireSendingSet(simulation, request.configurationSetName ?? identity.configurationSetName);
  requireTenantAccess(simulation, request.tenantName, { identity: identity.name, set: set?.name });
  requireMailFrom(identity);
  const quotaCost = recipients.filter((recipient) => !isMailboxSimulator(recipient)).length;
  takeQuota(simulation, recipients.length, quotaCost);

  const now = simulation.clock.now();
  const messageId = newMessageId(simulation.settings.region, now);
  const content = JSON.stringify(body.Content);
  const record = simulation.ledger.append(
    {
      messageId,
      acceptedAt: new Date(now).toISOString(),
      requestId,
      from: request.from,
      identity: identity.name,
      destination: request.destination,
      replyTo: request.replyTo,
      subject: request.content.subject,
      tags: request.tags,
      ...(set && { configurationSetName: set.name }),
      ...(request.tenantName !== undefined && { tenantName: request.tenantName }),
      contentHash: createHash("sha256").update(content).digest("hex"),
      sizeBytes: request.content.sizeBytes,
      quotaCost,
      ...eventHeaders(simulation, request, messageId),
      ...receivedParts(request.content),
      events: planEvents(simulation, { recipients, hasVirus: request.content.hasVirus, set }, options),
    },
    content,
  );
  scheduleEvents(simulation, record);
  return { MessageId: messageId };
}

function addressSpecs({ destination }: SendRequest): string[] {
  return [...destination.to, ...destination.cc, ...destination.bcc].map((address) => parseAddress(address).spec);
}

function requireSendingAccount(simulation: Simulation): void {
  const account = accountOf(simulation);
  if (account.enforcementStatus === "SHUTDOWN") {
    throw new SesError("AccountSuspendedException", "Your account's ability to send email is permanently restricted.");
  }
  if (!account.sendingEnabled) {
    throw new SesError("SendingPausedException", "Email sending is disabled for your account.");
  }
}

/** The message lists every failed identity, so that the caller can tell an unverified sender from a sandbox recipient. */
function requireVerified(simulation: Simulation, request: SendRequest, recipients: string[]): Identity {
  const from = parseAddress(request.from);
  const identity = findAuthorisingIdentity(simulation.identities, from.spec, from.domain);
  const failed = identity === undefined ? [from.spec] : [];
  if (!accountOf(simulation).productionAccess) {
    const unverified = recipients.filter((recipient) => {
      const { spec, domain } = parseAddress(recipient);
      return (
        !isMailboxSimulator(recipient) && findAuthorisingIdentity(simulation.identities, spec, domain) === undefined
      );
    });
    failed.push(...unverified);
  }
  if (identity !== undefined && failed.length === 0) return identity;
  throw new SesError(
    "MessageRejected",
    `Email address is not verified. The following identities failed the check in region ${simulation.settings.region.toUpperCase()}: ${failed.join(", ")}`,
  );
}

function requireSendingSet(simulation: Simulation, name: string | undefined): ConfigurationSet | undefined {
  if (name === undefined) return undefined;
  const set = requireConfigurationSet(simulation, name);
  if (set.sendingEnabled) return set;
  throw new SesError("SendingPausedException", `Email sending is disabled for the configuration set <${name}>.`);
}

function requireMailFrom({ mailFrom }: Identity): void {
  if (mailFrom === undefined || mailFrom.onMxFailure === "USE_DEFAULT_VALUE" || mailFrom.status === "SUCCESS") return;
  throw new SesError("MailFromDomainNotVerifiedException", `The MAIL FROM domain ${mailFrom.domain} is not verified.`);
}

/** Both quotas count recipients. AWS does not document the class of the daily quota error; a fault rule emits the other. */
function takeQuota(simulation: Simulation, recipients: number, quotaCost: number): void {
  const { max24HourSend, maxSendRate } = accountOf(simulation);
  const now = simulation.clock.now();
  if (max24HourSend !== -1 && simulation.sentLast24Hours.total(now) + quotaCost > max24HourSend) {
    throw new SesError("TooManyRequestsException", "Daily message quota exceeded.");
  }
  if (!simulation.sendRate.take(recipients, maxSendRate, now)) {
    throw new SesError("TooManyRequestsException", "Maximum sending rate exceeded.");
  }
  simulation.sentLast24Hours.add(now, quotaCost);
}

function receivedParts({ isRaw, headers, attachments }: Content): Pick<LedgerRecord, "customHeaders" | "attachments"> {
  return {
    ...(!isRaw && headers.length > 0 && { customHeaders: headers }),
    ...(attachments.length > 0 && { attachments }),
  };
}

function eventHeaders(
  simulation: Simulation,
  request: SendRequest,
  messageId: string,
): Pick<LedgerRecord, "headers" | "headersTruncated"> {
  const headersOfMail = request.content.isRaw ? request.content.headers : simpleHeaders(request);
  const headers: Header[] = [];
  let bytes = 0;
  for (const header of [
    ...headersOfMail,
    { name: "Message-ID", value: messageIdHeader(simulation.settings.region, messageId) },
  ]) {
    bytes += header.name.length + header.value.length;
    if (bytes <= maxHeaderBytes) headers.push(header);
  }
  return { headers, headersTruncated: bytes > maxHeaderBytes };
}
