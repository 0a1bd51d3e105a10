import type { RunContext } from "./run-context.ts";

export const sender = "acceptance@sandbox.test";

/** A small test mail to a new address. */
export function testMail({ recipient }: Pick<RunContext, "recipient">, outcome: string) {
  return { from: sender, to: [recipient(outcome)], subject: "Acceptance", text: "Hello." };
}

/** A live mail from the verified domain to the SES mailboxes that accept every mail. */
export function liveMail({ verifiedDomain, recipient }: Pick<RunContext, "verifiedDomain" | "recipient">) {
  const mailbox = () => recipient("success").replace("@sandbox.test", "@simulator.amazonses.com");
  const [to, bcc] = [mailbox(), mailbox()];
  return {
    from: `acceptance@${verifiedDomain()}`,
    to: [to],
    bcc: [bcc],
    reply_to: `answers@${verifiedDomain()}`,
    subject: `Acceptance ${to.split("@")[0]}`,
    text: "Hello in text.",
    html: "<p>Hello in HTML.</p>",
  };
}
