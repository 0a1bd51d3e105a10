import { triggerEvent } from "../events/emit-events.ts";
import type { EventDetails } from "../events/planned-event.ts";
import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError, parseJsonObject } from "../http/control-error.ts";
import { recipientsOf } from "../ledger/ledger-record.ts";
import { parseAddress } from "../ses/address.ts";
import type { Simulation } from "../simulation.ts";
import { requireRecord } from "./ledger-routes.ts";
import { openMail } from "./open-mail.ts";

/** The mail without the bytes of its attachments. */
export async function getMail(simulation: Simulation, _call: Call, messageId: string): Promise<Reply> {
  const mail = await openMail(simulation, messageId);
  const parts = await mail.readParts();
  const attachments = parts.attachments.map(({ bytes, encoding: _encoding, ...shown }) => ({
    ...shown,
    sizeBytes: bytes.length,
  }));
  return json(200, { ...mail.facts, ...parts, attachments });
}

export async function getRawMail(simulation: Simulation, _call: Call, messageId: string): Promise<Reply> {
  const mail = await openMail(simulation, messageId);
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: mail.compose(),
  };
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
