import type { RunContext } from "./run-context.ts";

export const sender = "acceptance@sandbox.test";

/** A small test mail to a new address. */
export function testMail({ recipient }: Pick<RunContext, "recipient">, outcome: string) {
  return { from: sender, to: [recipient(outcome)], subject: "Acceptance", text: "Hello." };
}

/** A live mail from the verified domain to the SES mailbox that accepts every mail. */
export function liveMail({ verifiedDomain, recipient }: Pick<RunContext, "verifiedDomain" | "recipient">) {
  const [label = ""] = recipient("success").split("@");
  return {
    from: `acceptance@${verifiedDomain()}`,
    to: [`${label}@simulator.amazonses.com`],
    reply_to: `answers@${verifiedDomain()}`,
    subject: `Acceptance ${label}`,
    text: "Hello in text.",
    html: "<p>Hello in HTML.</p>",
  };
}
