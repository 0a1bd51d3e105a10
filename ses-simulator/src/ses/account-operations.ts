import type { Simulation } from "../simulation.ts";
import { type Account, newAccount } from "./account.ts";
import type { ConfigurationSet, SuppressionReason } from "./configuration-set.ts";
import { readReasons } from "./configuration-set-operations.ts";
import { pageOf } from "./page-of.ts";
import { type Json, readBoolean, readNumber, readObject, readString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";

const recommendationFilters = ["IMPACT", "RESOURCE_ARN", "STATUS", "TYPE"];

export function getAccount(simulation: Simulation): Json {
  const account = accountOf(simulation);
  return {
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: account.enforcementStatus,
    ProductionAccessEnabled: account.productionAccess,
    SendingEnabled: account.sendingEnabled && account.enforcementStatus !== "SHUTDOWN",
    SendQuota: {
      Max24HourSend: account.max24HourSend,
      MaxSendRate: account.maxSendRate,
      SentLast24Hours: simulation.sentLast24Hours.total(simulation.clock.now()),
    },
    SuppressionAttributes: { SuppressedReasons: account.suppressedReasons },
  };
}

/** The control interface sets the open findings. Assumed: without Virtual Deliverability Manager, SES answers NotFoundException. */
export function listRecommendations(simulation: Simulation, { body }: SesRequest): Json {
  const { recommendations } = accountOf(simulation);
  if (recommendations === undefined) throw notFound("Virtual Deliverability Manager is not enabled for this account.");
  const filter = readObject(body, "Filter") ?? {};
  const unknown = Object.keys(filter).find((key) => !recommendationFilters.includes(key));
  if (unknown !== undefined) throw badRequest(`Value '${unknown}' at 'Filter' is not a known filter`);
  const { STATUS = "OPEN", IMPACT, TYPE, RESOURCE_ARN } = filter;
  const matching = recommendations.filter(
    ({ type, impact, resourceArn }) =>
      STATUS === "OPEN" &&
      (IMPACT ?? impact) === impact &&
      (TYPE ?? type) === type &&
      (RESOURCE_ARN ?? resourceArn) === resourceArn,
  );
  const listed = matching.map(({ type, impact, resourceArn }) => ({
    Type: type,
    Impact: impact,
    ResourceArn: resourceArn,
    Status: "OPEN",
  }));
  const { page, next } = pageOf(listed, readNumber(body, "PageSize"), readString(body, "NextToken"));
  return { Recommendations: page, ...next };
}

export function putAccountSending(simulation: Simulation, { body }: SesRequest): Json {
  changeAccount(simulation, { sendingEnabled: readBoolean(body, "SendingEnabled") ?? false });
  return {};
}

export function putAccountSuppression(simulation: Simulation, { body }: SesRequest): Json {
  changeAccount(simulation, { suppressedReasons: readReasons(body) });
  return {};
}

export function accountOf(simulation: Simulation): Account {
  return simulation.account.get("account") ?? newAccount(simulation.settings);
}

export function changeAccount(simulation: Simulation, change: Partial<Account>): Account {
  const account = { ...accountOf(simulation), ...change };
  simulation.account.set("account", account);
  return account;
}

/** The reasons of the configuration set replace those of the account; an empty list disables suppression for the set. */
export function suppressedReasonsFor(simulation: Simulation, set: ConfigurationSet | undefined): SuppressionReason[] {
  return set?.suppressedReasons ?? accountOf(simulation).suppressedReasons;
}
