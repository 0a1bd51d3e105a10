import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError, parseJsonObject } from "../http/control-error.ts";
import { type Account, recommendationTypes } from "../ses/account.ts";
import { changeAccount } from "../ses/account-operations.ts";
import { checkIdentity } from "../ses/check-identities.ts";
import { identityKey, setByHand } from "../ses/identity.ts";
import { sendingStatuses } from "../ses/tenant.ts";
import type { Simulation } from "../simulation.ts";

export function healthRoute(simulation: Simulation): Reply {
  const { ledger, pendingEvents, pushes, counters, clock } = simulation;
  return json(200, {
    status: "ok",
    accepted: ledger.size,
    pendingEvents: pendingEvents.size,
    pendingPushes: pushes.size,
    discardedBySns: counters.get("sns-discarded") ?? 0,
    speed: clock.speed,
  });
}

export function clockRoute(simulation: Simulation, call: Call): Reply {
  const { speed } = parseJsonObject(call);
  if (typeof speed !== "number" || !(speed > 0)) throw new ControlError(400, "speed must be a number above 0.");
  simulation.clock.changeSpeed(speed);
  return json(200, { speed });
}

const isValid: Record<keyof Account, (value: unknown) => boolean> = {
  sendingEnabled: (value) => typeof value === "boolean",
  enforcementStatus: (value) => value === "HEALTHY" || value === "PROBATION" || value === "SHUTDOWN",
  productionAccess: (value) => typeof value === "boolean",
  max24HourSend: (value) => typeof value === "number" && value >= -1,
  maxSendRate: (value) => typeof value === "number" && value > 0,
  suppressedReasons: (value) =>
    Array.isArray(value) && value.every((reason) => reason === "BOUNCE" || reason === "COMPLAINT"),
  // Null switches Virtual Deliverability Manager off.
  recommendations: (value) => value === null || (Array.isArray(value) && value.every(isRecommendation)),
};

function isRecommendation(value: unknown): boolean {
  const { type, impact, resourceArn, ...rest } = Object(value);
  const isKnown = recommendationTypes.includes(type) && (impact === "HIGH" || impact === "LOW");
  return isKnown && typeof resourceArn === "string" && Object.keys(rest).length === 0;
}

export function changeAccountRoute(simulation: Simulation, call: Call): Reply {
  const change = parseJsonObject(call);
  for (const [name, value] of Object.entries(change)) {
    const check = Object.entries(isValid).find(([known]) => known === name)?.[1];
    if (check?.(value) !== true)
      throw new ControlError(400, `${name} is not an account setting, or its value is invalid.`);
  }
  if (change.recommendations === null) change.recommendations = undefined;
  return json(200, changeAccount(simulation, change));
}

/** SES pauses a tenant because of its reputation: `DISABLED`. */
export function changeTenantRoute(simulation: Simulation, call: Call, name: string): Reply {
  const { sendingStatus } = parseJsonObject(call);
  const status = sendingStatuses.find((known) => known === sendingStatus);
  if (status === undefined) throw new ControlError(400, `sendingStatus must be ${sendingStatuses.join(", ")}.`);
  const tenant = simulation.tenants.get(name);
  if (tenant === undefined) throw new ControlError(404, `Tenant ${name} does not exist.`);
  simulation.tenants.set(name, { ...tenant, sendingStatus: status });
  return json(200, { name, sendingStatus: status });
}

/** Sets the status by hand (`SUCCESS`, `FAILED`, `TEMPORARY_FAILURE`, `PENDING`) or queries the DNS server now (`CHECK`). */
export async function verificationRoute(simulation: Simulation, call: Call, name: string): Promise<Reply> {
  const { status } = parseJsonObject(call);
  const identity = simulation.identities.get(identityKey(name));
  if (identity === undefined) throw new ControlError(404, `Identity ${name} does not exist.`);
  switch (status) {
    case "CHECK":
      await checkIdentity(simulation, identity.name);
      break;
    case "SUCCESS":
    case "FAILED":
    case "TEMPORARY_FAILURE":
    case "PENDING":
      simulation.identities.set(identity.name, setByHand(identity, status, simulation.clock.now()));
      break;
    default:
      throw new ControlError(400, "status must be SUCCESS, FAILED, TEMPORARY_FAILURE, PENDING or CHECK.");
  }
  return json(200, { name: identity.name, status: simulation.identities.get(identity.name)?.status });
}
