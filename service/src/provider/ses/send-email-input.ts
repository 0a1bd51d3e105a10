import type { SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import type { OutgoingMail } from "../email-provider.ts";
import { encodeAddress } from "./encode-address.ts";

export function sendEmailInput(mail: OutgoingMail): SendEmailCommandInput {
  return {
    FromEmailAddress: encodeAddress(mail.from),
    Destination: {
      ToAddresses: mail.to.map(encodeAddress),
      CcAddresses: mail.cc.map(encodeAddress),
      BccAddresses: mail.bcc.map(encodeAddress),
    },
    ...(mail.replyTo !== undefined && { ReplyToAddresses: [encodeAddress(mail.replyTo)] }),
    Content: {
      Simple: {
        Subject: utf8(mail.subject),
        Body: {
          ...(mail.text !== undefined && { Text: utf8(mail.text) }),
          ...(mail.html !== undefined && { Html: utf8(mail.html) }),
        },
      },
    },
    ConfigurationSetName: mail.configurationSetName,
    // Every event about the mail returns these; they are how a lost answer is found again.
    EmailTags: [
      { Name: "send_id", Value: mail.tags.sendId },
      { Name: "attempt", Value: String(mail.tags.attempt) },
    ],
    // Tracking rewrites links and adds an image, whatever somebody sets on the configuration set.
    ConfigurationOverrides: { Tracking: { OpenTrackingEnabled: "DISABLED", ClickTrackingEnabled: "DISABLED" } },
  };
}

/** Without a charset SES assumes 7-bit ASCII. */
function utf8(data: string) {
  return { Data: data, Charset: "UTF-8" };
}
