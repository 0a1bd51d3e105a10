import { ControlError } from "../http/control-error.ts";
import type { LedgerRecord } from "../ledger/ledger-record.ts";
import { composeMail } from "../mail-view/compose-mail.ts";
import type { MailParts } from "../mail-view/mail-parts.ts";
import type { OpenedMail, OtherMails } from "../mail-view/other-mails.ts";
import { parseRawMail } from "../mail-view/parse-raw-mail.ts";
import { readSimpleContent, type StoredContent } from "../mail-view/stored-content.ts";
import { messageIdHeader } from "../ses/message-id.ts";
import { simpleHeaders } from "../ses/mime/simple-headers.ts";
import type { Simulation } from "../simulation.ts";

/** A mail that SES accepted or that is one of `otherMails`, as the mail view shows it. */
interface ShownMail {
  /** All members that are not parts of the mail. */
  facts: object;
  readParts(): MailParts | Promise<MailParts>;
  compose(): Buffer;
}

export async function openMail(simulation: Simulation, id: string): Promise<ShownMail> {
  const record = simulation.ledger.find(id);
  if (record !== undefined) return openRecord(simulation, record);
  const { otherMails } = simulation.settings;
  const other = await otherMails?.find(id);
  if (other !== undefined && otherMails !== undefined) return openOtherMail(otherMails, other);
  throw new ControlError(404, `Message ${id} does not exist.`);
}

function openRecord(simulation: Simulation, record: LedgerRecord): ShownMail {
  const { messageId, acceptedAt, subject, contentHash } = record;
  const facts = { ...record, triggered: simulation.triggered.get(messageId) ?? [] };
  const stored: StoredContent = JSON.parse(simulation.ledger.contentOf(record));
  if (stored.Raw !== undefined) {
    const mail = Buffer.from(stored.Raw.Data, "base64");
    return { facts, readParts: () => parseRawMail(mail), compose: () => mail };
  }
  const parts = readSimpleContent(stored.Simple ?? {});
  return {
    facts,
    readParts: () => parts,
    compose() {
      const messageIdLine = { name: "Message-ID", value: messageIdHeader(simulation.settings.region, messageId) };
      const headers = [
        ...simpleHeaders({ ...record, content: { subject, headers: parts.customHeaders } }),
        messageIdLine,
      ];
      return composeMail({ ...parts, headers, acceptedAt, seed: contentHash.slice(0, 24) });
    },
  };
}

/** A mail of `otherMails` in the form of an accepted mail. */
function openOtherMail({ label, note }: OtherMails, mail: OpenedMail): ShownMail {
  const { id, acceptedAt, subject, text, html } = mail;
  const parts: MailParts = {
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    customHeaders: mail.customHeaders ?? [],
    attachments: (mail.attachments ?? []).map((attachment) => ({ isInline: false, encoding: "BASE64", ...attachment })),
  };
  const events = mail.events.map((details) => ({ details, copies: 1 }));
  return {
    facts: { ...mail, messageId: id, label, note, events, triggered: [] },
    readParts: () => parts,
    compose() {
      const headers = simpleHeaders({ ...mail, content: { subject, headers: parts.customHeaders } });
      return composeMail({ ...parts, headers, acceptedAt, seed: id.replaceAll("-", "") });
    },
  };
}
