import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  type DkimAttributes,
  GetEmailIdentityCommand,
  type IdentityInfo,
  ListEmailIdentitiesCommand,
  type MailFromAttributes,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { DkimStatus, EmailProvider, Identity, ListedIdentity } from "../../email-provider.ts";
import type { ControlCall } from "../control-call.ts";

type IdentityCalls = Pick<
  EmailProvider,
  "createIdentity" | "findIdentity" | "removeIdentity" | "setMailFrom" | "listIdentities"
>;

const maxPageSize = 1000;

/** SES answers do not contain the ARN, so this file builds it from `arnPrefix` and the name. */
export function identityCalls(client: SESv2Client, call: ControlCall, arnPrefix: string): IdentityCalls {
  const identityFrom = (domainName: string, dkim: DkimAttributes = {}, setName?: string): Identity => ({
    arn: `${arnPrefix}${domainName}`,
    dkimStatus: dkimStatusOf(dkim.Status),
    dkimTokens: dkim.Tokens ?? [],
    // Some AWS regions use another zone.
    dkimZone: dkim.SigningHostedZone ?? "dkim.amazonses.com",
    configurationSetName: setName,
    mailFrom: undefined,
  });
  return {
    async createIdentity(domainName, configurationSetName) {
      const command = new CreateEmailIdentityCommand({
        EmailIdentity: domainName,
        DkimSigningAttributes: { NextSigningKeyLength: "RSA_2048_BIT" },
        ConfigurationSetName: configurationSetName,
      });
      const created = await call((deadline) => client.send(command, deadline), {
        AlreadyExistsException: "exists" as const,
      });
      return created === "exists" ? created : identityFrom(domainName, created.DkimAttributes, configurationSetName);
    },
    async findIdentity(domainName) {
      const command = new GetEmailIdentityCommand({ EmailIdentity: domainName });
      const found = await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
      if (found === undefined) return undefined;
      const identity = identityFrom(domainName, found.DkimAttributes, found.ConfigurationSetName);
      return { ...identity, mailFrom: mailFromOf(found.MailFromAttributes) };
    },
    async removeIdentity(domainName) {
      const command = new DeleteEmailIdentityCommand({ EmailIdentity: domainName });
      await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
    },
    async setMailFrom(domainName, mailFromDomain) {
      const command = new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domainName,
        // Without the name SES removes the setting.
        MailFromDomain: mailFromDomain,
        // Mail goes out with the return path of SES while the MX record is missing.
        BehaviorOnMxFailure: "USE_DEFAULT_VALUE",
      });
      await call((deadline) => client.send(command, deadline));
    },
    async listIdentities(after) {
      const command = new ListEmailIdentitiesCommand({ PageSize: maxPageSize, NextToken: after });
      const { EmailIdentities = [], NextToken } = await call((deadline) => client.send(command, deadline));
      return { identities: EmailIdentities.flatMap(listedDomain), next: NextToken };
    },
  };
}

function listedDomain({
  IdentityType,
  IdentityName,
  SendingEnabled,
  VerificationStatus,
}: IdentityInfo): ListedIdentity[] {
  if (IdentityName === undefined || IdentityType === "EMAIL_ADDRESS") return [];
  return [{ domainName: IdentityName, isVerified: SendingEnabled === true && VerificationStatus === "SUCCESS" }];
}

function mailFromOf(
  { MailFromDomain, MailFromDomainStatus }: MailFromAttributes = {
    MailFromDomain: undefined,
    MailFromDomainStatus: undefined,
    BehaviorOnMxFailure: undefined,
  },
): Identity["mailFrom"] {
  if (MailFromDomain === undefined || MailFromDomain === "") return undefined;
  // SES goes on trying after a temporary failure.
  const status = { SUCCESS: "success", FAILED: "failed" } as const;
  return {
    domain: MailFromDomain,
    status: status[MailFromDomainStatus as keyof typeof status] ?? "pending", // SES may add words
  };
}

function dkimStatusOf(status: string | undefined): DkimStatus {
  switch (status) {
    case "SUCCESS":
      return "success";
    case "FAILED":
      return "failed";
    case "TEMPORARY_FAILURE":
      return "temporary-failure";
    case "NOT_STARTED":
      return "not-started";
    default:
      // A status that SES adds in the future does not prove verification.
      return "pending";
  }
}
