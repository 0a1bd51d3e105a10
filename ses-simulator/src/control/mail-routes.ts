import { triggerEvent } from "../events/emit-events.ts";
import type { EventDetails } from "../events/planned-event.ts";
import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError, parseJsonObject } from "../http/control-error.ts";
import { recipientsOf } from "../ledger/ledger-record.ts";
import { composeMail } from "../mail-view/compose-mail.ts";
import { readMail } from "../mail-view/read-mail.ts";
import { parseAddress } from "../ses/address.ts";
import { simpleHeaders } from "../ses/mime/simple-headers.ts";
import type { Simulation } from "../simulation.ts";
import { requireRecord } from "./ledger-routes.ts";

export async function getMail(simulation: Simulation, _call: Call, messageId: string): Promise<Reply> {
  const other = await findOtherMail(simulation, messageId);
  if (other !== undefined) return json(200, other);
  const record = requireRecord(simulation, messageId);
  const triggered = simulation.triggered.get(messageId) ?? [];
  return json(200, { ...record, ...readMail(simulation.ledger.contentOf(record)), triggered });
}

export async function getRawMail(simulation: Simulation, _call: Call, messageId: string): Promise<Reply> {
  const other = await findOtherMail(simulation, messageId);
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: other === undefined ? composeRecord(simulation, messageId) : composeOtherMail(other),
  };
}

function composeRecord(simulation: Simulation, messageId: string): Buffer {
  const record = requireRecord(simulation, messageId);
  return composeMail(record, simulation.ledger.contentOf(record));
}

type ShownOther = Awaited<ReturnType<typeof findOtherMail>>;

/** A mail of `otherMails` in the form of an accepted mail. */
async function findOtherMail({ settings, ledger }: Simulation, id: string) {
  const { otherMails } = settings;
  const mail = ledger.find(id) === undefined ? await otherMails?.find(id) : undefined;
  if (mail === undefined || otherMails === undefined) return undefined;
  const { label, note } = otherMails;
  const events = mail.events.map((details) => ({ details, copies: 1 }));
  return { ...mail, messageId: mail.id, label, note, events, attachments: [], triggered: [] };
}

function composeOtherMail(mail: NonNullable<ShownOther>): Buffer {
  const { id, acceptedAt, text, html, subject } = mail;
  const headers = simpleHeaders({ ...mail, content: { subject, headers: [] } });
  const part = (content: string | undefined) =>
    content === undefined ? undefined : { Data: content, Charset: "UTF-8" };
  const Body = { Text: part(text), Html: part(html) };
  return composeMail(
    { headers, acceptedAt, contentHash: id.replaceAll("-", "") },
    JSON.stringify({ Simple: { Body } }),
  );
}

/** Takes `{"type":"Bounce"}` or another type. Omitted members have defaults; the default recipients are all of the mail's. */
export function triggerEventRoute(simulation: Simulation, call: Call, messageId: string): Reply {
  const record = requireRecord(simulation, messageId);
  const body = parseJsonObject(call);
  const all = recipientsOf(record).map((address) => parseAddress(address).spec);
  const recipients = Array.isArray(body.recipients) ? body.recipients.map(String) : all;
  const details = readDetails(body, recipients);
  triggerEvent(simulation, record, details);
  return json(202, { messageId, details, published: record.configurationSetName !== undefined });
}

function readDetails(body: Record<string, unknown>, recipients: string[]): EventDetails {
  switch (body.type) {
    case "Send":
      return { type: "Send" };
    case "Delivery":
      return { type: "Delivery", recipients };
    case "Bounce":
      return {
        type: "Bounce",
        recipients,
        bounceType: readText(body, "bounceType", "Permanent"),
        bounceSubType: readText(body, "bounceSubType", "General"),
      };
    case "Complaint":
      return { type: "Complaint", recipients, feedbackType: readText(body, "feedbackType", "abuse") };
    case "Reject":
      return { type: "Reject", reason: "Bad content" };
    case "DeliveryDelay":
      return {
        type: "DeliveryDelay",
        recipients,
        delayType: readText(body, "delayType", "TransientCommunicationFailure"),
      };
    default:
      throw new ControlError(400, "type must be Send, Delivery, Bounce, Complaint, Reject or DeliveryDelay.");
  }
}

function readText(body: Record<string, unknown>, field: string, defaultValue: string): string {
  const value = body[field] ?? defaultValue;
  if (typeof value === "string") return value;
  throw new ControlError(400, `${field} must be a string.`);
}
