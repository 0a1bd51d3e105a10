import { isPolicy } from "../policy/policy-allows.ts";
import { SqsError } from "./sqs-error.ts";

export interface Queue {
  name: string;
  arn: string;
  createdAt: number;
  attributes: Record<string, string>;
}

/** Never changes after it is stored. The small `Receipt` holds the values that change with every receive. */
export interface QueuedMessage {
  id: string;
  queue: string;
  body: string;
  md5: string;
  sentAt: number;
}

export interface Receipt {
  count: number;
  firstAt: number;
  visibleAt: number;
}

export const maxInFlight = 120_000;

const numberAttributes: Record<string, { defaultValue: number; min: number; max: number }> = {
  VisibilityTimeout: { defaultValue: 30, min: 0, max: 43_200 },
  MessageRetentionPeriod: { defaultValue: 345_600, min: 60, max: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { defaultValue: 0, min: 0, max: 20 },
  DelaySeconds: { defaultValue: 0, min: 0, max: 900 },
  MaximumMessageSize: { defaultValue: 1_048_576, min: 1024, max: 1_048_576 },
};

export function numberAttribute(queue: Queue, name: string): number {
  return Number(queue.attributes[name] ?? numberAttributes[name]?.defaultValue);
}

export function redriveOf(queue: Queue): { deadLetterTargetArn: string; maxReceiveCount: number } | undefined {
  const policy = queue.attributes.RedrivePolicy;
  if (policy === undefined || policy === "") return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy);
  return { deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) };
}

export function requireAttributes(attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const bounds = numberAttributes[name];
    if (bounds !== undefined) requireNumber(name, value, bounds);
    else if (name === "Policy") requireValid(name, value === "" || isPolicy(value));
    else if (name === "RedrivePolicy") requireValid(name, value === "" || isRedrivePolicy(value));
    else if (!["SqsManagedSseEnabled", "KmsMasterKeyId", "RedriveAllowPolicy"].includes(name)) {
      throw new SqsError("InvalidAttributeName", `Unknown Attribute ${name}.`);
    }
  }
}

function requireNumber(name: string, value: string, { min, max }: { min: number; max: number }): void {
  const number = Number(value);
  requireValid(name, Number.isInteger(number) && number >= min && number <= max);
}

function isRedrivePolicy(text: string): boolean {
  try {
    const policy = JSON.parse(text);
    const count = Number(policy.maxReceiveCount);
    return typeof policy.deadLetterTargetArn === "string" && Number.isInteger(count) && count >= 1 && count <= 1000;
  } catch {
    return false;
  }
}

function requireValid(name: string, isValid: boolean): void {
  if (!isValid) throw new SqsError("InvalidAttributeValue", `Invalid value for the parameter ${name}.`);
}
