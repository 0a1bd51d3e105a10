import { isStopped } from "../accounts/account-hold.ts";
import type { Queryable } from "../db/database.ts";
import { countText, durationText } from "../plain-text.ts";
import { tenantNotAssociated } from "../provider/email-provider.ts";
import { tenantMissing } from "../queue/denied-domains.ts";
import type { Problem } from "./problem.ts";

/** A domain whose mail is parked because SES denies its identity or configuration set (queue/denied-domains.ts). */
export interface DeniedDomain {
  domainName: string;
  code: string;
  identityArn: string;
  configurationSetName: string;
  deniedSeconds: number;
}

export interface DeniedDomains {
  /** At most ten, longest denied first. */
  domains: DeniedDomain[];
  total: number;
}

/** Without those of held or suspended accounts: their mail stays parked in any case, and nobody probes it. */
export async function listDeniedDomains(db: Queryable): Promise<DeniedDomains> {
  const rows = await db.query<DeniedDomain & { total: number }>({
    name: "list-denied-domains",
    text: `
      select domain_name as "domainName", denial_code as code, identity_arn as "identityArn",
        configuration_set_name as "configurationSetName",
        extract(epoch from now() - denied_since)::float8 as "deniedSeconds", count(*) over () as total
      from domains d
      where denied_since is not null and verification_status = 'Success'
        and exists (
          select
          from accounts a
          where a.id = d.account_id and not ${isStopped("a", "'live'")}
        )
      order by denied_since
      limit 10`,
  });
  return { domains: rows, total: rows[0]?.total ?? 0 };
}

export function deniedDomainProblems({ domains, total }: DeniedDomains): Problem[] {
  const more = total - domains.length;
  return [
    ...domains.map((domain) => ({
      what: `${whatOf(domain)} The mail of this domain is parked; other mail goes out.`,
      advice: `${adviceFor(domain)} Workers try one send a minute and then resume. See docs/runbook.md, "SES denies one domain".`,
      runbook: "ses-denies-one-domain" as const,
      stopsMail: true as const,
    })),
    ...(more === 0
      ? []
      : [
          {
            what: `SES denies mail from ${countText(more)} more domains.`,
            advice: "Fix the first ones, then look again.",
            runbook: "ses-denies-one-domain" as const,
            stopsMail: true as const,
          },
        ]),
  ];
}

function whatOf({ domainName, code, deniedSeconds }: DeniedDomain): string {
  const duration = durationText(deniedSeconds);
  return code === tenantMissing
    ? `Mail from ${domainName} has waited for its SES tenant for ${duration}.`
    : `SES has denied mail from ${domainName} for ${duration} (${code}).`;
}

function adviceFor({ code, identityArn, configurationSetName }: DeniedDomain): string {
  if (code === tenantMissing || code === tenantNotAssociated) {
    return "The log of the workers has the reason if `attach-tenants` fails. `postern aws setup --dry-run` prints the permissions.";
  }
  if (code === "SendingPausedException") {
    return "SES paused the tenant of the account. AWS console, SES, Tenants shows the reason and resumes it.";
  }
  if (code === "NotFoundException") {
    return `Create the configuration set ${configurationSetName}: run \`postern aws setup\`.`;
  }
  return (
    `Allow the workers ses:SendEmail on ${identityArn} and on the configuration set ${configurationSetName}, ` +
    "in their IAM policy and in service control policies."
  );
}
