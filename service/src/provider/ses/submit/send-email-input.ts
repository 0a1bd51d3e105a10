import type { SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import { controlCharacter } from "../../../mail-address.ts";
import type { OutgoingMail } from "../../email-provider.ts";
import { encodeMailbox } from "./encode-address.ts";

/** Throws when a header could break out of its line: whatever reads mail from customers refuses that, so it is a bug. */
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

function requireOneLineHeaders({ from, to, cc, bcc, replyTo, subject }: OutgoingMail): void {
  const addresses = [from.address, ...to, ...cc, ...bcc, replyTo?.address ?? from.address];
  // A space, a comma or a bracket would make two addresses of one.
  if (addresses.some((address) => !/^[!-~]+$/.test(address) || /[<>",]/.test(address))) {
    throw new Error("a mail has an address that was not parsed");
  }
  if ([from.name, replyTo?.name, subject].some((text = "") => controlCharacter.test(text))) {
    throw new Error("a mail has a control character in a name or in its subject");
  }
}

/** Without a charset SES assumes 7-bit ASCII. */
function utf8(data: string) {
  return { Data: data, Charset: "UTF-8" };
}
