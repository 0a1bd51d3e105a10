interface RetryPolicy {
  numRetries: number;
  minDelayTarget: number;
  maxDelayTarget: number;
  numNoDelayRetries: number;
  numMinDelayRetries: number;
  numMaxDelayRetries: number;
  backoffFunction: "linear" | "arithmetic" | "geometric" | "exponential";
}

/** The default of SNS: three retries, 20 seconds apart. */
const defaultPolicy: RetryPolicy = {
  numRetries: 3,
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  numMaxDelayRetries: 0,
  backoffFunction: "linear",
};

const maxTotalSeconds = 3600;

/** The delay in seconds before each retry. The phases are: no delay, minimum delay, backoff, maximum delay. */
export function retrySchedule(deliveryPolicy: string | undefined): number[] {
  const policy = { ...defaultPolicy, ...healthyRetryPolicy(deliveryPolicy) };
  const { numRetries, numNoDelayRetries, numMinDelayRetries, numMaxDelayRetries } = policy;
  const backoffRetries = Math.max(0, numRetries - numNoDelayRetries - numMinDelayRetries - numMaxDelayRetries);
  const delays = [
    ...Array.from({ length: numNoDelayRetries }, () => 0),
    ...Array.from({ length: numMinDelayRetries }, () => policy.minDelayTarget),
    ...Array.from({ length: backoffRetries }, (_, step) =>
      interpolate(policy, backoffRetries === 1 ? 0 : step / (backoffRetries - 1)),
    ),
    ...Array.from({ length: numMaxDelayRetries }, () => policy.maxDelayTarget),
  ];
  return delays.slice(0, numRetries);
}

/** Returns undefined if SNS would accept the policy. */
export function findDeliveryPolicyProblem(text: string): string | undefined {
  try {
    const policy = { ...defaultPolicy, ...healthyRetryPolicy(text) };
    if (policy.numRetries > 100) return "numRetries must be at most 100";
    if (policy.minDelayTarget > policy.maxDelayTarget) return "minDelayTarget must not exceed maxDelayTarget";
    const total = retrySchedule(text).reduce((sum, delay) => sum + delay, 0);
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

function interpolate(
  { minDelayTarget: min, maxDelayTarget: max, backoffFunction }: RetryPolicy,
  fraction: number,
): number {
  switch (backoffFunction) {
    case "linear":
      return min + (max - min) * fraction;
    case "arithmetic":
      return min + (max - min) * ((fraction * (fraction + 1)) / 2);
    case "geometric":
    case "exponential":
      return Math.max(min, 1) * (Math.max(max, 1) / Math.max(min, 1)) ** fraction;
  }
}
