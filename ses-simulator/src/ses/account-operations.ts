import type { Simulation } from "../simulation.ts";
import { type Account, newAccount } from "./account.ts";
import type { ConfigurationSet, SuppressionReason } from "./configuration-set.ts";
import { readReasons } from "./configuration-set-operations.ts";
import { type Json, readBoolean } from "./read-json.ts";
import type { SesRequest } from "./ses-request.ts";

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
