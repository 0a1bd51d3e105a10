import type { Simulation } from "../simulation.ts";
import { parseAddress, requireDomain } from "./address.ts";
import { canSend, type Identity, identityKey, newIdentity } from "./identity.ts";
import { pageOf } from "./page-of.ts";
import {
  type Json,
  readBoolean,
  readNumber,
  readObject,
  readObjects,
  readOneOf,
  readString,
  requireString,
} from "./read-json.ts";
import { badRequest, notFound, SesError } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";

const maxIdentities = 10_000;

export function createEmailIdentity(simulation: Simulation, { body }: SesRequest): Json {
  const name = requireString(body, "EmailIdentity");
  if (name.includes("@")) parseAddress(name);
  else requireRegistrable(name);
  const configurationSetName = readString(body, "ConfigurationSetName");
  if (configurationSetName !== undefined && !simulation.configurationSets.has(configurationSetName)) {
    throw notFound(`Configuration set <${configurationSetName}> does not exist.`);
  }
  if (simulation.identities.has(identityKey(name))) {
    throw new SesError("AlreadyExistsException", `Email identity ${name} already exist.`);
  }
  if (simulation.identities.size >= maxIdentities) {
    throw new SesError("LimitExceededException", "You have exceeded the maximum number of identities.");
  }
  const dkim = readObject(body, "DkimSigningAttributes") ?? {};
  const keyLength = readOneOf(dkim, "NextSigningKeyLength", ["RSA_1024_BIT", "RSA_2048_BIT"]);
  const identity: Identity = {
    ...newIdentity(name, simulation.clock.now()),
    ...(keyLength !== undefined && { keyLength }),
    ...(configurationSetName !== undefined && { configurationSetName }),
    tags: readObjects(body, "Tags"),
  };
  simulation.identities.set(identity.name, identity);
  return {
    IdentityType: identity.type,
    VerifiedForSendingStatus: false,
    DkimAttributes: dkimAttributes(simulation, identity),
  };
}

export function getEmailIdentity(simulation: Simulation, { params }: SesRequest): Json {
  const identity = requireIdentity(simulation, params[0]);
  return {
    IdentityType: identity.type,
    FeedbackForwardingStatus: identity.feedbackForwarding,
    VerifiedForSendingStatus: canSend(identity),
    DkimAttributes: dkimAttributes(simulation, identity),
    MailFromAttributes: {
      BehaviorOnMxFailure: identity.mailFrom?.onMxFailure ?? "USE_DEFAULT_VALUE",
      ...(identity.mailFrom && {
        MailFromDomain: identity.mailFrom.domain,
        MailFromDomainStatus: identity.mailFrom.status,
      }),
    },
    Policies: {},
    Tags: identity.tags,
    ...(identity.configurationSetName && { ConfigurationSetName: identity.configurationSetName }),
    VerificationStatus: identity.status,
    VerificationInfo: {
      ...(identity.lastCheckedAt && { LastCheckedTimestamp: identity.lastCheckedAt / 1000 }),
      ...(identity.lastSuccessAt && { LastSuccessTimestamp: identity.lastSuccessAt / 1000 }),
      ...(identity.errorType && { ErrorType: identity.errorType }),
    },
  };
}

export function deleteEmailIdentity(simulation: Simulation, { params }: SesRequest): Json {
  simulation.identities.delete(requireIdentity(simulation, params[0]).name);
  return {};
}

export function listEmailIdentities(simulation: Simulation, { body }: SesRequest): Json {
  const rows = [...simulation.identities.values()].map((identity) => ({
    IdentityType: identity.type,
    IdentityName: identity.name,
    SendingEnabled: canSend(identity),
    VerificationStatus: identity.status,
  }));
  const { page, next } = pageOf(rows, readNumber(body, "PageSize"), readString(body, "NextToken"));
  return { EmailIdentities: page, ...next };
}

export function putMailFromAttributes(simulation: Simulation, { params, body }: SesRequest): Json {
  const { mailFrom: _, ...identity } = requireIdentity(simulation, params[0]);
  const domain = readString(body, "MailFromDomain");
  const onMxFailure = readOneOf(body, "BehaviorOnMxFailure", ["USE_DEFAULT_VALUE", "REJECT_MESSAGE"]);
  if (domain === undefined) {
    simulation.identities.set(identity.name, identity);
    return {};
  }
  requireDomain(domain);
  if (!domain.toLowerCase().endsWith(`.${identity.name}`)) {
    throw badRequest(`Provided MAIL-FROM domain <${domain}> is not subdomain of the domain of the identity`);
  }
  const mailFrom = { domain, status: "PENDING" as const, onMxFailure: onMxFailure ?? ("USE_DEFAULT_VALUE" as const) };
  simulation.identities.set(identity.name, { ...identity, mailFrom });
  return {};
}

export function putFeedbackAttributes(simulation: Simulation, { params, body }: SesRequest): Json {
  const identity = requireIdentity(simulation, params[0]);
  const feedbackForwarding = readBoolean(body, "EmailForwardingEnabled") ?? false;
  simulation.identities.set(identity.name, { ...identity, feedbackForwarding });
  return {};
}

export function requireIdentity(simulation: Simulation, name = ""): Identity {
  const identity = simulation.identities.get(identityKey(name));
  if (identity === undefined) throw notFound(`Email identity ${name} does not exist.`);
  return identity;
}

function dkimAttributes(simulation: Simulation, identity: Identity): Json {
  return {
    SigningEnabled: identity.type === "DOMAIN",
    Status: identity.type === "DOMAIN" ? identity.status : "NOT_STARTED",
    ...(identity.type === "DOMAIN" && { Tokens: identity.tokens }),
    SigningHostedZone: simulation.settings.signingHostedZone,
    SigningAttributesOrigin: "AWS_SES",
    NextSigningKeyLength: identity.keyLength,
    CurrentSigningKeyLength: identity.keyLength,
    LastKeyGenerationTimestamp: identity.createdAt / 1000,
  };
}

function requireRegistrable(name: string): void {
  requireDomain(name);
  if (!name.includes(".")) throw badRequest(`Invalid domain name ${name}.`);
}
