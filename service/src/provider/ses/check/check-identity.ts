import type { GetEmailIdentityResponse } from "@aws-sdk/client-sesv2";
import { withActionName } from "../setup/aws-action.ts";
import { type Finding, note, ok, problem } from "../setup/finding.ts";
import { findEmailIdentity } from "../setup/set-up-calls.ts";
import type { SetUpCheckContext } from "../setup/set-up-check-context.ts";

/** What the DNS records of the identity depend on. */
export interface CheckedIdentity {
  domainName: string;
  dkimTokens: string[];
  dkimZone: string;
  /** Undefined: SES uses its own return path. */
  mailFromDomain: string | undefined;
}

export interface IdentityCheck {
  findings: Finding[];
  identity: CheckedIdentity | undefined;
}

export async function checkIdentity(context: SetUpCheckContext, domainName: string): Promise<IdentityCheck> {
  const { options, ses, rateLimited } = context;
  const found = await withActionName("ses:GetEmailIdentity", () =>
    rateLimited(() => findEmailIdentity(ses, domainName)),
  );
  if (found === undefined) {
    const what = `SES has no identity ${domainName} in ${options.region}`;
    const advice = "add the domain in Postern, which creates the identity, and check AWS_REGION";
    return { findings: [problem("identity", what, advice)], identity: undefined };
  }
  return {
    findings: [
      verificationFinding(domainName, found),
      ...dkimFindings(domainName, found),
      mailFromFinding(domainName, found),
    ],
    identity: {
      domainName,
      dkimTokens: found.DkimAttributes?.Tokens ?? [],
      // Some AWS regions use another zone.
      dkimZone: found.DkimAttributes?.SigningHostedZone ?? "dkim.amazonses.com",
      mailFromDomain: found.MailFromAttributes?.MailFromDomain || undefined,
    },
  };
}

function verificationFinding(domainName: string, found: GetEmailIdentityResponse): Finding {
  if (found.VerifiedForSendingStatus === true) return ok("identity", `SES lets ${domainName} send`);
  const status = found.VerificationStatus ?? "no status";
  const reason = found.VerificationInfo?.ErrorType;
  return problem(
    "identity.verified",
    `SES does not let ${domainName} send (${status}${reason === undefined ? "" : `, ${reason}`})`,
    "publish the three DKIM records of the domain; SES looks for them for 72 hours after the identity was created",
  );
}

function dkimFindings(domainName: string, { DkimAttributes: dkim }: GetEmailIdentityResponse): Finding[] {
  const inConsole = `in the SES console, under Identities, ${domainName}, Authentication`;
  if (dkim?.SigningEnabled === false) {
    return [problem("identity.dkim", "SES does not sign its mail with DKIM", `switch DKIM signatures on ${inConsole}`)];
  }
  if (dkim?.SigningAttributesOrigin === "EXTERNAL" || dkim?.Tokens?.length !== 3) {
    const what = "SES signs its mail with keys of its owner, for which Postern has no DNS records";
    return [problem("identity.dkim", what, `switch to Easy DKIM ${inConsole}`)];
  }
  if (dkim.Status !== "SUCCESS") {
    const what = `SES does not find its DKIM records (${dkim.Status})`;
    return [problem("identity.dkim", what, "publish the DKIM records that the check of DNS names")];
  }
  const isShort = dkim.CurrentSigningKeyLength === "RSA_1024_BIT";
  return [
    isShort
      ? note("identity.dkim", "its DKIM key has 1024 bits", `choose a key length of 2048 bits ${inConsole}`)
      : ok("identity.dkim", "SES signs its mail with DKIM"),
  ];
}

function mailFromFinding(domainName: string, { MailFromAttributes: mailFrom }: GetEmailIdentityResponse): Finding {
  if (!mailFrom?.MailFromDomain) {
    return ok("identity.mail-from", "its mail has the return path of SES; a custom MAIL FROM domain is optional");
  }
  const { MailFromDomain, MailFromDomainStatus, BehaviorOnMxFailure } = mailFrom;
  if (MailFromDomainStatus === "SUCCESS") return ok("identity.mail-from", `MAIL FROM domain ${MailFromDomain}`);
  const effect =
    BehaviorOnMxFailure === "REJECT_MESSAGE" ? "SES refuses all its mail" : "its mail has the return path of SES";
  return problem(
    "identity.mail-from",
    `SES does not find the MX record of the MAIL FROM domain ${MailFromDomain} (${MailFromDomainStatus}), so ${effect}`,
    `publish the records of ${MailFromDomain}, or remove the MAIL FROM domain of ${domainName} in Postern`,
  );
}
