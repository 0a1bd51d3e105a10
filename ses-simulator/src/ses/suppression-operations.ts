import type { Simulation } from "../simulation.ts";
import { accountOf, suppressedReasonsFor } from "./account-operations.ts";
import { parseAddress } from "./address.ts";
import { type ConfigurationSet, suppressionReasons } from "./configuration-set.ts";
import { pageOf } from "./page-of.ts";
import { type Json, readOneOf, requireString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";
import { findSuppressed, type SuppressedDestination, suppress, unsuppress } from "./suppression-list.ts";

export function putSuppressedDestination(simulation: Simulation, { body }: SesRequest): Json {
  if (!accountOf(simulation).productionAccess) {
    throw badRequest("Your account is in the sandbox: the suppression list cannot be changed.");
  }
  const address = requireString(body, "EmailAddress");
  parseAddress(address);
  requireString(body, "Reason");
  const reason = readOneOf(body, "Reason", suppressionReasons) ?? "BOUNCE";
  suppress(simulation.suppressedDestinations, { address, reason, updatedAt: simulation.clock.now() });
  return {};
}

export function getSuppressedDestination(simulation: Simulation, { params }: SesRequest): Json {
  const found = requireSuppressed(simulation, params[0]);
  const attributes = {
    ...(found.messageId && { MessageId: found.messageId }),
    ...(found.feedbackId && { FeedbackId: found.feedbackId }),
  };
  return { SuppressedDestination: { ...summaryOf(found), Attributes: attributes } };
}

export function deleteSuppressedDestination(simulation: Simulation, { params }: SesRequest): Json {
  unsuppress(simulation.suppressedDestinations, requireSuppressed(simulation, params[0]).address);
  return {};
}

export function listSuppressedDestinations(simulation: Simulation, { query }: SesRequest): Json {
  const reasons = query.getAll("Reason");
  const from = readDate(query, "StartDate") ?? Number.NEGATIVE_INFINITY;
  const to = readDate(query, "EndDate") ?? Number.POSITIVE_INFINITY;
  const rows = [...simulation.suppressedDestinations.values()]
    .filter(({ reason }) => reasons.length === 0 || reasons.includes(reason))
    .filter(({ updatedAt }) => updatedAt >= from && updatedAt <= to)
    .map(summaryOf);
  const pageSize = query.get("PageSize");
  const { page, next } = pageOf(
    rows,
    pageSize === null ? undefined : Number(pageSize),
    query.get("NextToken") ?? undefined,
  );
  return { SuppressedDestinationSummaries: page, ...next };
}

export function isSuppressed(simulation: Simulation, address: string, set: ConfigurationSet | undefined): boolean {
  const found = findSuppressed(simulation.suppressedDestinations, address);
  return found !== undefined && suppressedReasonsFor(simulation, set).includes(found.reason);
}

function requireSuppressed(simulation: Simulation, address = ""): SuppressedDestination {
  const found = findSuppressed(simulation.suppressedDestinations, address);
  if (found === undefined) throw notFound(`Email address ${address} does not exist on your suppression list.`);
  return found;
}

function summaryOf({ address, reason, updatedAt }: SuppressedDestination): Json {
  return { EmailAddress: address, Reason: reason, LastUpdateTime: updatedAt / 1000 };
}

function readDate(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw badRequest(`${name} is not a timestamp.`);
  return time;
}
