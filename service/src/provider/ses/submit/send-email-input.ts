import type { Attachment, SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import { controlCharacter } from "../../../mail-address.ts";
import type { MailAttachment, OutgoingMail } from "../../email-provider.ts";
import { checkTag } from "../check-tag.ts";
import { encodeMailbox } from "./encode-address.ts";

/** Throws when a value could inject a header. The API rejects such values, so one that arrives here is a bug. */
export function sendEmailInput(mail: OutgoingMail): SendEmailCommandInput {
  requireOneLineHeaders(mail);
  return {
    FromEmailAddress: encodeMailbox(mail.from),
    Destination: { ToAddresses: mail.to, CcAddresses: mail.cc, BccAddresses: mail.bcc },
    ...(mail.replyTo !== undefined && { ReplyToAddresses: [encodeMailbox(mail.replyTo)] }),
    Content: {
      Simple: {
        Subject: utf8(mail.subject),
        Body: {
          ...(mail.text !== undefined && { Text: utf8(mail.text) }),
          ...(mail.html !== undefined && { Html: utf8(mail.html) }),
        },
        ...(mail.headers !== undefined && {
          Headers: mail.headers.map(({ name, value }) => ({ Name: name, Value: value })),
        }),
        ...(mail.attachments !== undefined && { Attachments: mail.attachments.map(toAttachment) }),
      },
    },
    ConfigurationSetName: mail.configurationSetName,
    ...(mail.tenantName !== undefined && { TenantName: mail.tenantName }),
    // Every event about the mail carries these tags; they identify a submission whose answer was lost.
    EmailTags: [
      { Name: "send_id", Value: mail.tags.sendId },
      { Name: "attempt", Value: String(mail.tags.attempt) },
      ...(mail.checkId === undefined ? [] : [{ Name: checkTag, Value: mail.checkId }]),
    ],
    // Tracking would rewrite links and add an image. This overrides the setting of the configuration set.
    ConfigurationOverrides: { Tracking: { OpenTrackingEnabled: "DISABLED", ClickTrackingEnabled: "DISABLED" } },
  };
}

/** Without an encoding SES would write the bytes into the mail as they are. */
function toAttachment({ filename, contentType, contentId, bytes }: MailAttachment): Attachment {
  return {
    FileName: filename,
    ContentType: contentType,
    ContentDisposition: contentId === undefined ? "ATTACHMENT" : "INLINE",
    ContentTransferEncoding: "BASE64",
    ...(contentId !== undefined && { ContentId: contentId }),
    RawContent: bytes,
  };
}

function requireOneLineHeaders(mail: OutgoingMail): void {
  const { from, to, cc, bcc, replyTo, subject, headers = [], attachments = [] } = mail;
  const addresses = [from.address, ...to, ...cc, ...bcc, replyTo?.address ?? from.address];
  // A space, a comma or a bracket would turn one address into two.
  if (addresses.some((address) => !/^[!-~]+$/.test(address) || /[<>",]/.test(address))) {
    throw new Error("the mail has an unparsed address");
  }
  if ([from.name, replyTo?.name, subject].some((text = "") => controlCharacter.test(text))) {
    throw new Error("the mail has a control character in a name or in its subject");
  }
  if (headers.some(({ name, value }) => !/^[!-9;-~]+$/.test(name) || !/^[ -~]+$/.test(value))) {
    throw new Error("the mail has a header that could become two");
  }
  const partHeaders = attachments.flatMap(({ filename, contentType, contentId = "" }) => [
    filename,
    contentType,
    contentId,
  ]);
  if (partHeaders.some((text) => controlCharacter.test(text))) {
    throw new Error("an attachment has a control character in its name or type");
  }
}

/** Without a charset SES assumes 7-bit ASCII. */
function utf8(data: string) {
  return { Data: data, Charset: "UTF-8" };
}
