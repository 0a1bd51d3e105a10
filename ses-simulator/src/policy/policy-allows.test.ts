import { expect, test } from "vitest";
import { policyAllows } from "./policy-allows.ts";

const access = {
  service: "sns.amazonaws.com",
  action: "sqs:SendMessage",
  sourceArn: "arn:aws:sns:eu-west-1:000000000000:events",
  sourceAccount: "000000000000",
};
const statement = {
  Effect: "Allow",
  Principal: { Service: "sns.amazonaws.com" },
  Action: "sqs:SendMessage",
  Resource: "*",
};
const allows = (...statements: object[]) => policyAllows(JSON.stringify({ Statement: statements }), access);
const when = (operator: string, key: string, value: string) => ({
  ...statement,
  Condition: { [operator]: { [key]: value } },
});

test("the documented policies allow the topic to write to the queue", () => {
  expect(allows(when("ArnEquals", "aws:SourceArn", access.sourceArn))).toBe(true);
  expect(allows(when("StringEquals", "AWS:SourceAccount", "000000000000"))).toBe(true);
  expect(allows({ ...statement, Principal: "*", Action: ["sqs:*"] })).toBe(true);
  expect(allows(when("ArnLike", "aws:SourceArn", "arn:aws:sns:*:000000000000:*"))).toBe(true);
});

test("any other policy denies the topic access to the queue", () => {
  expect(policyAllows(undefined, access)).toBe(false);
  expect(policyAllows("not a policy", access)).toBe(false);
  expect(allows()).toBe(false);
  expect(allows({ ...statement, Principal: { Service: "ses.amazonaws.com" } })).toBe(false);
  expect(allows({ ...statement, Action: "sqs:ReceiveMessage" })).toBe(false);
  expect(allows(when("ArnEquals", "aws:SourceArn", "arn:aws:sns:eu-west-1:000000000000:other"))).toBe(false);
  expect(allows(when("StringEquals", "aws:SourceAccount", "111111111111"))).toBe(false);
  expect(allows(when("IpAddress", "aws:SourceIp", "127.0.0.1"))).toBe(false);
  expect(allows(statement, { ...statement, Effect: "Deny" })).toBe(false);
});

test("a dot in a pattern matches only a dot", () => {
  expect(policyAllows(JSON.stringify({ Statement: [{ ...statement, Action: "sqs.SendMessage" }] }), access)).toBe(
    false,
  );
});
