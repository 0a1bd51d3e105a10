import { expect, test } from "vitest";
import { findDeliveryPolicyProblem, retrySchedule } from "./retry-schedule.ts";

const policy = (healthyRetryPolicy: object) => JSON.stringify({ healthyRetryPolicy });

test("without a policy, SNS retries three times, 20 s apart", () => {
  expect(retrySchedule(undefined)).toEqual([20, 20, 20]);
});

test("the schedule contains the four phases of the policy in order", () => {
  const phases = {
    numRetries: 7,
    numNoDelayRetries: 1,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 1,
    minDelayTarget: 10,
    maxDelayTarget: 30,
  };
  expect(retrySchedule(policy(phases))).toEqual([0, 10, 10, 10, 20, 30, 30]);
});

test.each([["linear"], ["arithmetic"], ["geometric"], ["exponential"]])(
  "%s backoff grows from the minimum to the maximum",
  (backoffFunction) => {
    const delays = retrySchedule(policy({ numRetries: 5, minDelayTarget: 1, maxDelayTarget: 60, backoffFunction }));
    expect(delays[0]).toBeCloseTo(1);
    expect(delays[4]).toBeCloseTo(60);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  },
);

test("the schedule also reads the policy format of a topic", () => {
  const topic = JSON.stringify({
    http: { defaultHealthyRetryPolicy: { numRetries: 1, minDelayTarget: 5, maxDelayTarget: 5 } },
  });
  expect(retrySchedule(topic)).toEqual([5]);
});

test("the check names each problem for which SNS refuses a policy", () => {
  expect(findDeliveryPolicyProblem(policy({ numRetries: 101, minDelayTarget: 1, maxDelayTarget: 1 }))).toMatch(
    /at most 100/,
  );
  expect(findDeliveryPolicyProblem(policy({ minDelayTarget: 30, maxDelayTarget: 20 }))).toMatch(/must not exceed/);
  expect(findDeliveryPolicyProblem(policy({ numRetries: 100, minDelayTarget: 37, maxDelayTarget: 37 }))).toMatch(
    /more than 3600/,
  );
  expect(findDeliveryPolicyProblem("{")).toMatch(/not JSON/);
  expect(
    findDeliveryPolicyProblem(policy({ numRetries: 100, minDelayTarget: 36, maxDelayTarget: 36 })),
  ).toBeUndefined();
});
