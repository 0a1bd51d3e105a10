import { randomUUID } from "node:crypto";
import { ControlError } from "../http/control-error.ts";
import { isSesErrorName } from "../ses/ses-error.ts";
import type { Fault } from "./fault.ts";
import type { Rule } from "./rule.ts";

type Json = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const isNumber = (value: unknown) => typeof value === "number" && value >= 0;
const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value);
const isShape =
  (shape: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && problemIn(value, shape) === undefined;

const eventTypes = ["Send", "Delivery", "Bounce", "Complaint", "Reject", "DeliveryDelay"];

/** Members of each fault besides its kind. */
const faults: Record<Fault["kind"], Record<string, Check>> = {
  "reset-before-accept": {},
  "accept-then-reset": {},
  hang: {},
  "accept-then-hang": {},
  "slow-body": { seconds: isNumber },
  "http-error": { status: oneOf(500, 502, 503, 504), errorType: isFlag, accepted: isFlag },
  error: { name: (value) => typeof value === "string" && isSesErrorName(value), message: isText },
  "daily-quota": { form: oneOf("throttling", "limit-exceeded") },
  garbage: { accepted: isFlag },
  "empty-object": { accepted: isFlag },
  "clock-skew": {},
  "wrong-md5": {},
  "duplicate-receive": {},
  "partial-failure": {},
};

/** What a fault means when a member is left out. */
const faultDefaults: Partial<Record<Fault["kind"], Json>> = {
  "slow-body": { seconds: 2 },
  "http-error": { status: 500, errorType: false, accepted: false },
  error: { message: "Simulated." },
  "daily-quota": { form: "throttling" },
  garbage: { accepted: true },
  "empty-object": { accepted: true },
};

const outcomes: Record<string, Record<string, Check>> = {
  deliver: {},
  bounce: { bounceType: isText, bounceSubType: isText },
  complain: { feedbackType: isText },
  "out-of-office": {},
  delay: { delayType: isText },
  reject: {},
};

const outcomeDefaults: Record<string, Json> = {
  bounce: { bounceType: "Permanent", bounceSubType: "General" },
  delay: { delayType: "TransientCommunicationFailure" },
};

const members: Record<string, Check> = {
  operation: isText,
  match: isShape({ recipient: isText, fromDomain: isText, tag: isShape({ name: isText, value: isText }) }),
  skip: isNumber,
  times: isNumber,
  probability: (value) => typeof value === "number" && value >= 0 && value <= 1,
  seed: isNumber,
  fault: (value) => isKind(value, faults),
  outcome: (value) => isKind(value, outcomes),
  events: isShape({
    sendBeforeAnswer: isFlag,
    deliveryBeforeSend: isFlag,
    copies: oneOf("random", 0, 1, 2, 3, 4, 5, 6, 7, 8),
    delaySeconds: isNumber,
    recipients: oneOf("by-domain", "together", "one-by-one"),
    lost: (value) => Array.isArray(value) && value.every((type) => eventTypes.includes(type)),
  }),
};

/** A rule with a typing error would make a test that proves nothing, so every unknown member is refused. */
export function readRule(given: Json): Rule {
  const problem = problemIn(given, members);
  if (problem !== undefined) throw new ControlError(400, `The rule's ${problem} is not known, or its value is wrong.`);
  if (given.fault === undefined && given.events === undefined && given.outcome === undefined) {
    throw new ControlError(400, "A rule needs a fault, events or an outcome.");
  }
  // Each member was checked against its shape above.
  return {
    id: randomUUID(),
    operation: "SendEmail",
    match: {},
    skip: 0,
    times: Number.MAX_SAFE_INTEGER,
    probability: 1,
    seed: 1,
    ...given,
    ...withDefaults("fault", given.fault, faultDefaults),
    ...withDefaults("outcome", given.outcome, outcomeDefaults),
  };
}

function withDefaults(member: string, given: unknown, defaults: Record<string, Json | undefined>): Json {
  return isObject(given) ? { [member]: { ...defaults[String(given.kind)], ...given } } : {};
}

function isKind(value: unknown, kinds: Record<string, Record<string, Check>>): boolean {
  if (!isObject(value) || typeof value.kind !== "string") return false;
  const shape = Object.hasOwn(kinds, value.kind) ? kinds[value.kind] : undefined;
  return shape !== undefined && problemIn(value, { kind: isText, ...shape }) === undefined;
}

function problemIn(given: Json, shape: Record<string, Check>): string | undefined {
  return Object.entries(given).find(
    ([name, value]) => !Object.hasOwn(shape, name) || shape[name]?.(value) !== true,
  )?.[0];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
