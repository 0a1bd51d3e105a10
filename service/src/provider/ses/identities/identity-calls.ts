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
import type { ControlCall } from "../control-call.ts";

type IdentityCalls = Pick<EmailProvider, "createIdentity" | "findIdentity" | "removeIdentity" | "listIdentities">;

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
      return identityFrom(domainName, found.DkimAttributes, found.ConfigurationSetName);
    },
    async removeIdentity(domainName) {
      const command = new DeleteEmailIdentityCommand({ EmailIdentity: domainName });
      await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
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
