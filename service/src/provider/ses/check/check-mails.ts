import type { Mailbox } from "../../../mail-address.ts";
import type { OutgoingMail } from "../../email-provider.ts";
import type { Feedback } from "../../feedback.ts";

/** A mail to the mailbox simulator of SES, and the events that SES reports about it. */
export interface CheckMail {
  name: "success" | "bounce" | "complaint" | "suppressionlist" | "ooto" | "attachment";
  to: string;
  expects: Feedback["kind"][];
  /** SES may report these as well: no document says whether it does. */
  mayReport: Feedback["kind"][];
  hasAttachment: boolean;
}

const simulatorDomain = "simulator.amazonses.com";

export const checkMails: CheckMail[] = [
  aMail("success", { expects: ["send", "delivery"] }),
  aMail("bounce", { expects: ["send", "bounce"] }),
  aMail("complaint", { expects: ["send", "delivery", "complaint"] }),
  aMail("suppressionlist", { expects: ["bounce"], mayReport: ["send"] }),
  aMail("ooto", { expects: ["send", "delivery"], mayReport: ["bounce"] }),
  { ...aMail("attachment", { expects: ["send", "delivery"] }), to: `success+attachment@${simulatorDomain}` },
];

function aMail(
  name: CheckMail["name"],
  { expects, mayReport = [] }: { expects: Feedback["kind"][]; mayReport?: Feedback["kind"][] },
): CheckMail {
  return { name, to: `${name}@${simulatorDomain}`, expects, mayReport, hasAttachment: name === "attachment" };
}

interface MailFacts {
  from: Mailbox;
  configurationSetName: string;
  checkId: string;
  sendId: string;
}

/** The same request that a send of the API becomes, with everything that SES could refuse: letters beyond ASCII, a name, HTML. */
export function outgoingMail({ name, to, hasAttachment }: CheckMail, facts: MailFacts): OutgoingMail {
  const { from, configurationSetName, checkId, sendId } = facts;
  const text = "`postern aws check` sent this mail to the mailbox simulator of SES. ✓";
  return {
    from,
    to: [to],
    cc: [],
    bcc: [],
    replyTo: from,
    subject: `Postern check: ${name} ✓`,
    text,
    html: `<p>${text}</p>`,
    ...(hasAttachment && {
      headers: [
        { name: "X-Postern-Check", value: checkId },
        { name: "List-Unsubscribe", value: `<https://${from.address.split("@").at(-1)}/unsubscribe>` },
      ],
      attachments: [
        {
          filename: "prüfung.txt",
          contentType: "text/plain",
          contentId: undefined,
          bytes: Buffer.from("Postern check ✓\n".repeat(100)),
        },
      ],
    }),
    configurationSetName,
    tags: { sendId, attempt: 1 },
    checkId,
  };
}
