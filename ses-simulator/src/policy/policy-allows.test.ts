import { expect, test } from "vitest";
import { policyAllows } from "./policy-allows.ts";

const access = {
  service: "sns.amazonaws.com",
  action: "sqs:SendMessage",
  sourceArn: "arn:aws:sns:eu-west-1:000000000000:events",
  sourceAccount: "000000000000",
};
const usual = {
  Effect: "Allow",
  Principal: { Service: "sns.amazonaws.com" },
  Action: "sqs:SendMessage",
  Resource: "*",
};
const allows = (...statements: object[]) => policyAllows(JSON.stringify({ Statement: statements }), access);
const when = (operator: string, key: string, value: string) => ({
  ...usual,
  Condition: { [operator]: { [key]: value } },
});

test("the documented policy lets the topic write to the queue", () => {
  expect(allows(when("ArnEquals", "aws:SourceArn", access.sourceArn))).toBe(true);
  expect(allows(when("StringEquals", "AWS:SourceAccount", "000000000000"))).toBe(true);
  expect(allows({ ...usual, Principal: "*", Action: ["sqs:*"] })).toBe(true);
  expect(allows(when("ArnLike", "aws:SourceArn", "arn:aws:sns:*:000000000000:*"))).toBe(true);
});

test("anything else keeps it out", () => {
  expect(policyAllows(undefined, access)).toBe(false);
  expect(policyAllows("not a policy", access)).toBe(false);
  expect(allows()).toBe(false);
  expect(allows({ ...usual, Principal: { Service: "ses.amazonaws.com" } })).toBe(false);
  expect(allows({ ...usual, Action: "sqs:ReceiveMessage" })).toBe(false);
  expect(allows(when("ArnEquals", "aws:SourceArn", "arn:aws:sns:eu-west-1:000000000000:other"))).toBe(false);
  expect(allows(when("StringEquals", "aws:SourceAccount", "111111111111"))).toBe(false);
  expect(allows(when("IpAddress", "aws:SourceIp", "127.0.0.1"))).toBe(false);
  expect(allows(usual, { ...usual, Effect: "Deny" })).toBe(false);
});

test("a dot in a pattern is a dot", () => {
  expect(policyAllows(JSON.stringify({ Statement: [{ ...usual, Action: "sqs.SendMessage" }] }), access)).toBe(false);
});
