import type { ListedDomain } from "../../api/api-types.ts";

export interface Step {
  key: "key" | "test-mail" | "domain" | "verify" | "live-mail";
  title: string;
  text: string;
  isDone: boolean;
  step: { label: string; href: string } | undefined;
}

interface AccountFacts {
  keys: number;
  hasTestMail: boolean;
  hasLiveMail: boolean;
  domains: Pick<ListedDomain, "domain_id" | "domain_name" | "verification_status">[];
}

/** How a new account gets to its first live mail. Undefined once live mail was sent: then the account needs no first steps. */
export function findFirstSteps({ keys, hasTestMail, hasLiveMail, domains }: AccountFacts): Step[] | undefined {
  if (hasLiveMail) return undefined;
  const verified = domains.find(({ verification_status }) => verification_status === "Success");
  const open = domains.find(({ verification_status }) => verification_status !== "Success");
  const name = verified?.domain_name ?? open?.domain_name;
  return [
    {
      key: "key",
      title: "Make an API key",
      text: "Begin with a test key. Its mail never leaves Postern, so nothing can go wrong.",
      isDone: keys > 0,
      step: { label: "Make a key", href: "/keys?mode=test" },
    },
    {
      key: "test-mail",
      title: "Send a test mail",
      text: "Use a test key. The recipient decides the outcome: delivered@sandbox.test, bounced@sandbox.test and others.",
      isDone: hasTestMail,
      step: undefined,
    },
    {
      key: "domain",
      title: "Add the domain that you send from",
      text: "Postern shows the DNS records to publish, and checks them by itself.",
      isDone: domains.length > 0,
      step: { label: "Add a domain", href: "/domains" },
    },
    {
      key: "verify",
      title: verified === undefined ? "Verify the domain" : `${verified.domain_name} is verified`,
      text:
        name === undefined
          ? "Publish its DNS records. Most name servers show them within minutes."
          : `Publish the DNS records of ${name}. Most name servers show them within minutes.`,
      isDone: verified !== undefined,
      step: open === undefined ? undefined : { label: "Show its records", href: `/domains/${open.domain_id}` },
    },
    {
      key: "live-mail",
      title: "Send live mail",
      text:
        verified === undefined
          ? "With a live key, from an address of your domain."
          : `With a live key, from an address of ${verified.domain_name}.`,
      isDone: false,
      step: { label: "Make a live key", href: "/keys" },
    },
  ];
}

/** The command of the second step, with the key in a variable. */
export function testMailCommand(origin: string): string {
  const mail = { from: "hello@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello", text: "It works." };
  return [
    `curl ${origin}/api/v1/send \\`,
    `  -H "X-API-Key: $POSTERN_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(mail)}'`,
  ].join("\n");
}
