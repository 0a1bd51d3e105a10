import { expect, test } from "vitest";
import { problemWithDeliveryPolicy, retrySchedule } from "./retry-schedule.ts";

const policy = (healthyRetryPolicy: object) => JSON.stringify({ healthyRetryPolicy });

test("without a policy there are three retries, 20 s apart", () => {
  expect(retrySchedule(undefined)).toEqual([20, 20, 20]);
});

test("a policy goes through its four phases", () => {
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
    const waits = retrySchedule(policy({ numRetries: 5, minDelayTarget: 1, maxDelayTarget: 60, backoffFunction }));
    expect(waits[0]).toBeCloseTo(1);
    expect(waits[4]).toBeCloseTo(60);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  },
);

test("the topic's form of the policy counts as well", () => {
  const topic = JSON.stringify({
    http: { defaultHealthyRetryPolicy: { numRetries: 1, minDelayTarget: 5, maxDelayTarget: 5 } },
  });
  expect(retrySchedule(topic)).toEqual([5]);
});

test("what SNS would refuse is named", () => {
  expect(problemWithDeliveryPolicy(policy({ numRetries: 101, minDelayTarget: 1, maxDelayTarget: 1 }))).toMatch(
    /at most 100/,
  );
  expect(problemWithDeliveryPolicy(policy({ minDelayTarget: 30, maxDelayTarget: 20 }))).toMatch(/must not exceed/);
  expect(problemWithDeliveryPolicy(policy({ numRetries: 100, minDelayTarget: 37, maxDelayTarget: 37 }))).toMatch(
    /more than 3600/,
  );
  expect(problemWithDeliveryPolicy("{")).toMatch(/not JSON/);
  expect(
    problemWithDeliveryPolicy(policy({ numRetries: 100, minDelayTarget: 36, maxDelayTarget: 36 })),
  ).toBeUndefined();
});
