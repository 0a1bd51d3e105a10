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
    isObject(value) && findProblem(value, shape) === undefined;

const eventTypes = ["Send", "Delivery", "Bounce", "Complaint", "Reject", "DeliveryDelay"];

/** The members of each fault, in addition to its kind. */
const faults: Record<Fault["kind"], Record<string, Check>> = {
  "reset-before-accept": {},
  "accept-then-reset": {},
  hang: {},
  "accept-then-hang": {},
  "slow-body": { seconds: isNumber },
  "http-error": { status: oneOf(500, 502, 503, 504), errorType: isFlag, accepted: isFlag },
  error: { name: (value) => typeof value === "string" && isSesErrorName(value), message: isText },
  "access-denied": {},
  "daily-quota": { form: oneOf("throttling", "limit-exceeded") },
  garbage: { accepted: isFlag },
  "empty-object": { accepted: isFlag },
  "clock-skew": {},
  "wrong-md5": {},
  "duplicate-receive": {},
  "partial-failure": {},
};

/** The default values of omitted members. */
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

/** Refuses every unknown member: a rule with a typing error would apply to nothing, and its test would prove nothing. */
export function readRule(input: Json): Rule {
  const problem = findProblem(input, members);
  if (problem !== undefined)
    throw new ControlError(400, `The rule member ${problem} is unknown, or its value is invalid.`);
  if (input.fault === undefined && input.events === undefined && input.outcome === undefined) {
    throw new ControlError(400, "A rule needs a fault, events or an outcome.");
  }
  // The check above has compared each member with its shape.
  return {
    id: randomUUID(),
    operation: "SendEmail",
    match: {},
    skip: 0,
    times: Number.MAX_SAFE_INTEGER,
    probability: 1,
    seed: 1,
    ...input,
    ...withDefaults("fault", input.fault, faultDefaults),
    ...withDefaults("outcome", input.outcome, outcomeDefaults),
  };
}

function withDefaults(member: string, value: unknown, defaults: Record<string, Json | undefined>): Json {
  return isObject(value) ? { [member]: { ...defaults[String(value.kind)], ...value } } : {};
}

function isKind(value: unknown, kinds: Record<string, Record<string, Check>>): boolean {
  if (!isObject(value) || typeof value.kind !== "string") return false;
  const shape = Object.hasOwn(kinds, value.kind) ? kinds[value.kind] : undefined;
  return shape !== undefined && findProblem(value, { kind: isText, ...shape }) === undefined;
}

function findProblem(input: Json, shape: Record<string, Check>): string | undefined {
  return Object.entries(input).find(
    ([name, value]) => !Object.hasOwn(shape, name) || shape[name]?.(value) !== true,
  )?.[0];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
