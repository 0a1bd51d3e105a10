import { expect, test } from "vitest";
import { isSamePolicy, queuePolicy, topicPolicy } from "./access-policies.ts";

const topicArn = "arn:aws:sns:eu-central-1:123456789012:postern-AA";
const wanted = topicPolicy(topicArn, "postern-AA");
const [statement] = wanted.Statement;

test("a policy equals itself in the spelling that AWS returns", () => {
  const asReturned = {
    Id: "x",
    Statement: { ...statement, Sid: "y", Action: ["SNS:Publish"], Principal: { Service: ["ses.amazonaws.com"] } },
    Version: "2012-10-17",
  };
  expect(isSamePolicy(JSON.stringify(asReturned), wanted)).toBe(true);
  expect(isSamePolicy(JSON.stringify(wanted), wanted)).toBe(true);
});

test.for([
  ["also allows other principals", { ...wanted, Statement: [statement, { ...statement, Principal: "*" }] }],
  ["allows every principal", { ...wanted, Statement: [{ ...statement, Principal: "*" }] }],
  ["has no conditions", { ...wanted, Statement: [{ ...statement, Condition: {} }] }],
  ["is for a cell whose code differs in case", topicPolicy(topicArn, "postern-aa")],
  ["is for another topic", topicPolicy(topicArn.replace("AA", "AB"), "postern-AA")],
  ["belongs to a queue", queuePolicy("arn:aws:sqs:eu-central-1:123456789012:postern-AA", topicArn)],
] as const)("a policy that %s is not the same", ([, policy]) => {
  expect(isSamePolicy(JSON.stringify(policy), wanted)).toBe(false);
});

test.for([undefined, "", "{", "null"])("%j is not a policy", (text) => {
  expect(isSamePolicy(text, wanted)).toBe(false);
});
