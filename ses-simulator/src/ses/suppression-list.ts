import type { Simulation } from "../simulation.ts";
import { accountOf } from "./account.ts";
import { parseAddress } from "./address.ts";
import { type ConfigurationSet, type SuppressionReason, suppressionReasons } from "./configuration-set.ts";
import { pageOf } from "./page-of.ts";
import { type Json, readOneOf, requireString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";

export interface SuppressedDestination {
  address: string;
  reason: SuppressionReason;
  updatedAt: number;
  messageId?: string;
  feedbackId?: string;
}

export function putSuppressedDestination(simulation: Simulation, { body }: SesRequest): Json {
  if (!accountOf(simulation).productionAccess) {
    throw badRequest("Your account is in the sandbox: the suppression list cannot be changed.");
  }
  const address = requireString(body, "EmailAddress");
  parseAddress(address);
  requireString(body, "Reason");
  const reason = readOneOf(body, "Reason", suppressionReasons) ?? "BOUNCE";
  suppress(simulation, { address, reason, updatedAt: simulation.clock.now() });
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
  simulation.suppressedDestinations.delete(keyOf(requireSuppressed(simulation, params[0]).address));
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

export function suppress(simulation: Simulation, destination: SuppressedDestination): void {
  simulation.suppressedDestinations.set(keyOf(destination.address), destination);
}

/** The configuration set's reasons replace the account's; an empty list of the set switches suppression off. */
export function isSuppressed(simulation: Simulation, spec: string, set: ConfigurationSet | undefined): boolean {
  const found = simulation.suppressedDestinations.get(keyOf(spec));
  return found !== undefined && reasonsFor(simulation, set).includes(found.reason);
}

export function reasonsFor(simulation: Simulation, set: ConfigurationSet | undefined): SuppressionReason[] {
  return set?.suppressedReasons ?? accountOf(simulation).suppressedReasons;
}

function requireSuppressed(simulation: Simulation, address = ""): SuppressedDestination {
  const found = simulation.suppressedDestinations.get(keyOf(address));
  if (found === undefined) throw notFound(`Email address ${address} does not exist on your suppression list.`);
  return found;
}

function summaryOf({ address, reason, updatedAt }: SuppressedDestination): Json {
  return { EmailAddress: address, Reason: reason, LastUpdateTime: updatedAt / 1000 };
}

function keyOf(address: string): string {
  return address.toLowerCase();
}

function readDate(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw badRequest(`${name} is not a timestamp.`);
  return time;
}
