import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  type DkimAttributes,
  GetEmailIdentityCommand,
  type IdentityInfo,
  ListEmailIdentitiesCommand,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { DkimStatus, EmailProvider, Identity, ListedIdentity } from "../../email-provider.ts";
import type { Ask } from "../control-call.ts";

type IdentityCalls = Pick<EmailProvider, "createIdentity" | "findIdentity" | "removeIdentity" | "listIdentities">;

const largestPage = 1000;

/** SES has no ARN in its answers, so it is put together from `arnPrefix` and the name. */
export function identityCalls(client: SESv2Client, ask: Ask, arnPrefix: string): IdentityCalls {
  const identityFrom = (domainName: string, dkim: DkimAttributes = {}, setName?: string): Identity => ({
    arn: `${arnPrefix}${domainName}`,
    dkimStatus: dkimStatusOf(dkim.Status),
    dkimTokens: dkim.Tokens ?? [],
    // Some regions have a zone of their own.
    dkimZone: dkim.SigningHostedZone ?? "dkim.amazonses.com",
    configurationSetName: setName,
  });
  return {
    async createIdentity(domainName, configurationSetName) {
      const command = new CreateEmailIdentityCommand({
        EmailIdentity: domainName,
        DkimSigningAttributes: { NextSigningKeyLength: "RSA_2048_BIT" },
        ConfigurationSetName: configurationSetName,
      });
      const created = await ask((deadline) => client.send(command, deadline), {
        AlreadyExistsException: "exists" as const,
      });
      return created === "exists" ? created : identityFrom(domainName, created.DkimAttributes, configurationSetName);
    },
    async findIdentity(domainName) {
      const command = new GetEmailIdentityCommand({ EmailIdentity: domainName });
      const found = await ask((deadline) => client.send(command, deadline), { NotFoundException: undefined });
      if (found === undefined) return undefined;
      return identityFrom(domainName, found.DkimAttributes, found.ConfigurationSetName);
    },
    async removeIdentity(domainName) {
      const command = new DeleteEmailIdentityCommand({ EmailIdentity: domainName });
      await ask((deadline) => client.send(command, deadline), { NotFoundException: undefined });
    },
    async listIdentities(after) {
      const command = new ListEmailIdentitiesCommand({ PageSize: largestPage, NextToken: after });
      const { EmailIdentities = [], NextToken } = await ask((deadline) => client.send(command, deadline));
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
      // A value SES invents later proves nothing yet.
      return "pending";
  }
}
