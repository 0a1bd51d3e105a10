interface RetryPolicy {
  numRetries: number;
  minDelayTarget: number;
  maxDelayTarget: number;
  numNoDelayRetries: number;
  numMinDelayRetries: number;
  numMaxDelayRetries: number;
  backoffFunction: "linear" | "arithmetic" | "geometric" | "exponential";
}

/** What SNS does when nobody says otherwise: three retries, 20 seconds apart. */
const usual: RetryPolicy = {
  numRetries: 3,
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  numMaxDelayRetries: 0,
  backoffFunction: "linear",
};

const maxTotalSeconds = 3600;

/** The waits, in seconds, before each retry: at once, then at the minimum, growing, and at the maximum. */
export function retrySchedule(deliveryPolicy: string | undefined): number[] {
  const policy = { ...usual, ...healthyRetryPolicy(deliveryPolicy) };
  const { numRetries, numNoDelayRetries, numMinDelayRetries, numMaxDelayRetries } = policy;
  const growing = Math.max(0, numRetries - numNoDelayRetries - numMinDelayRetries - numMaxDelayRetries);
  const waits = [
    ...Array.from({ length: numNoDelayRetries }, () => 0),
    ...Array.from({ length: numMinDelayRetries }, () => policy.minDelayTarget),
    ...Array.from({ length: growing }, (_, step) => between(policy, growing === 1 ? 0 : step / (growing - 1))),
    ...Array.from({ length: numMaxDelayRetries }, () => policy.maxDelayTarget),
  ];
  return waits.slice(0, numRetries);
}

/** Says what is wrong with a policy, or undefined if SNS would take it. */
export function problemWithDeliveryPolicy(text: string): string | undefined {
  try {
    const policy = { ...usual, ...healthyRetryPolicy(text) };
    if (policy.numRetries > 100) return "numRetries must be at most 100";
    if (policy.minDelayTarget > policy.maxDelayTarget) return "minDelayTarget must not exceed maxDelayTarget";
    const total = retrySchedule(text).reduce((sum, wait) => sum + wait, 0);
    return total > maxTotalSeconds ? `the retries together take ${total} s, more than ${maxTotalSeconds}` : undefined;
  } catch {
    return "the policy is not JSON";
  }
}

function healthyRetryPolicy(text: string | undefined): Partial<RetryPolicy> {
  if (text === undefined || text === "") return {};
  const policy: {
    healthyRetryPolicy?: Partial<RetryPolicy>;
    http?: { defaultHealthyRetryPolicy?: Partial<RetryPolicy> };
  } = JSON.parse(text);
  return policy.healthyRetryPolicy ?? policy.http?.defaultHealthyRetryPolicy ?? {};
}

function between({ minDelayTarget: min, maxDelayTarget: max, backoffFunction }: RetryPolicy, part: number): number {
  switch (backoffFunction) {
    case "linear":
      return min + (max - min) * part;
    case "arithmetic":
      return min + (max - min) * ((part * (part + 1)) / 2);
    case "geometric":
    case "exponential":
      return Math.max(min, 1) * (Math.max(max, 1) / Math.max(min, 1)) ** part;
  }
}
