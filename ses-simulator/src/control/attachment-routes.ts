import type { Call, Reply } from "../http/call.ts";
import { ControlError } from "../http/control-error.ts";
import { contentDisposition } from "../mail-view/content-disposition.ts";
import type { Simulation } from "../simulation.ts";
import { openMail } from "./open-mail.ts";

/**
 * The bytes of an attachment, as the recipient gets them. `number` is its position in the list of the mail, from 0. No browser shows
 * the file on the origin of the simulator, because an attachment can be a web page with scripts.
 */
export async function getAttachment(
  simulation: Simulation,
  _call: Call,
  messageId: string,
  number: string,
): Promise<Reply> {
  const { attachments } = await (await openMail(simulation, messageId)).readParts();
  const attachment = attachments[Number(number)];
  if (attachment === undefined) throw new ControlError(404, `Message ${messageId} has no attachment ${number}.`);
  return {
    status: 200,
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": contentDisposition("attachment", attachment.name),
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
    body: attachment.bytes,
  };
}
