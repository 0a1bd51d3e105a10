import { randomBytes } from "node:crypto";
import type { Simulation } from "../simulation.ts";
import { pageOf } from "./page-of.ts";
import { type Json, readNumber, readObjects, readString, requireString } from "./read-json.ts";
import { badRequest, notFound, SesError } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";
import type { Tenant } from "./tenant.ts";

const maxTenants = 10_000;

export function createTenant(simulation: Simulation, { body }: SesRequest): Json {
  const name = requireString(body, "TenantName");
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw badRequest("TenantName must be 1 to 64 letters, digits, underscores or dashes.");
  }
  if (simulation.tenants.has(name)) throw new SesError("AlreadyExistsException", `Tenant <${name}> already exists.`);
  if (simulation.tenants.size >= maxTenants) {
    throw new SesError("LimitExceededException", "You have exceeded the maximum number of tenants.");
  }
  const id = `tn-${randomBytes(14).toString("hex")}`;
  const tags = readObjects(body, "Tags");
  const createdAt = simulation.clock.now();
  const tenant: Tenant = { name, id, createdAt, sendingStatus: "ENABLED", tags, resources: {} };
  simulation.tenants.set(name, tenant);
  return describe(simulation, tenant);
}

export function getTenant(simulation: Simulation, { body }: SesRequest): Json {
  return { Tenant: describe(simulation, requireTenant(simulation, requireString(body, "TenantName"))) };
}

export function deleteTenant(simulation: Simulation, { body }: SesRequest): Json {
  simulation.tenants.delete(requireTenant(simulation, requireString(body, "TenantName")).name);
  return {};
}

export function listTenants(simulation: Simulation, { body }: SesRequest): Json {
  const all = [...simulation.tenants.values()].map((tenant) => {
    const { Tags: _, SendingStatus: __, ...info } = describe(simulation, tenant);
    return info;
  });
  const { page, next } = pageOf(all, readNumber(body, "PageSize"), readString(body, "NextToken"));
  return { Tenants: page, ...next };
}

export function createTenantResourceAssociation(simulation: Simulation, { body }: SesRequest): Json {
  const tenant = requireTenant(simulation, requireString(body, "TenantName"));
  const arn = requireString(body, "ResourceArn");
  requireResource(simulation, arn);
  if (Object.hasOwn(tenant.resources, arn)) {
    throw new SesError(
      "AlreadyExistsException",
      `Resource <${arn}> is already associated with tenant <${tenant.name}>.`,
    );
  }
  const resources = { ...tenant.resources, [arn]: simulation.clock.now() };
  simulation.tenants.set(tenant.name, { ...tenant, resources });
  return {};
}

export function deleteTenantResourceAssociation(simulation: Simulation, { body }: SesRequest): Json {
  const tenant = requireTenant(simulation, requireString(body, "TenantName"));
  const arn = requireString(body, "ResourceArn");
  const { [arn]: associated, ...resources } = tenant.resources;
  if (associated === undefined) throw notFound(`Resource <${arn}> is not associated with tenant <${tenant.name}>.`);
  simulation.tenants.set(tenant.name, { ...tenant, resources });
  return {};
}

export function listTenantResources(simulation: Simulation, { body }: SesRequest): Json {
  const tenant = requireTenant(simulation, requireString(body, "TenantName"));
  const all = Object.keys(tenant.resources).map((ResourceArn) => ({
    ResourceType: ResourceArn.includes(":identity/") ? "EMAIL_IDENTITY" : "CONFIGURATION_SET",
    ResourceArn,
  }));
  const { page, next } = pageOf(all, readNumber(body, "PageSize"), readString(body, "NextToken"));
  return { TenantResources: page, ...next };
}

export function requireTenant({ tenants }: Simulation, name: string): Tenant {
  const tenant = tenants.get(name);
  if (tenant === undefined) throw notFound(`Tenant <${name}> does not exist.`);
  return tenant;
}

/**
 * A mail with a tenant needs the association of its identity and of its configuration set. The error and its text are those of AWS; the
 * text for a paused tenant is assumed.
 */
export function requireTenantAccess(
  simulation: Simulation,
  tenantName: string | undefined,
  used: { identity: string; set: string | undefined },
): void {
  if (tenantName === undefined) return;
  const tenant = requireTenant(simulation, tenantName);
  const needed = [`identity/${used.identity}`, ...(used.set === undefined ? [] : [`configuration-set/${used.set}`])];
  const arns = needed.map((resource) => `${arnPrefix(simulation)}${resource}`);
  const missing = arns.filter((arn) => !Object.hasOwn(tenant.resources, arn));
  if (missing.length > 0) {
    throw new SesError("AccessDeniedException", `Tenant not associated with resources [${missing.join(", ")}]`);
  }
  if (tenant.sendingStatus === "DISABLED") {
    throw new SesError("SendingPausedException", `Email sending is disabled for the tenant <${tenantName}>.`);
  }
}

function arnPrefix({ settings: { region, accountId } }: Simulation): string {
  return `arn:aws:ses:${region}:${accountId}:`;
}

function requireResource(simulation: Simulation, arn: string): void {
  const prefix = arnPrefix(simulation);
  const [, kind, name = ""] = /^(identity|configuration-set)\/(.+)$/.exec(arn.slice(prefix.length)) ?? [];
  if (!/^arn:[\w-]+:ses:/.test(arn) || kind === undefined) {
    throw badRequest(`<${arn}> is not the ARN of an identity or a configuration set.`);
  }
  const isKnown = kind === "identity" ? simulation.identities.has(name) : simulation.configurationSets.has(name);
  if (!arn.startsWith(prefix) || !isKnown) throw notFound(`Resource <${arn}> does not exist.`);
}

function describe(simulation: Simulation, { name, id, createdAt, sendingStatus, tags }: Tenant): Json {
  return {
    TenantName: name,
    TenantId: id,
    TenantArn: `${arnPrefix(simulation)}tenant/${name}/${id}`,
    CreatedTimestamp: createdAt / 1000,
    Tags: tags,
    SendingStatus: sendingStatus,
  };
}
