import { expect, test } from "vitest";
import { isSamePolicy, queuePolicy, topicPolicy } from "./access-policies.ts";

const topicArn = "arn:aws:sns:eu-central-1:123456789012:postern-AA";
const wanted = topicPolicy(topicArn, "postern-AA");
const [statement] = wanted.Statement;

test("a policy is recognised in the spelling AWS gives it back in", () => {
  const spelt = {
    Id: "x",
    Statement: { ...statement, Sid: "y", Action: ["SNS:Publish"], Principal: { Service: ["ses.amazonaws.com"] } },
    Version: "2012-10-17",
  };
  expect(isSamePolicy(JSON.stringify(spelt), wanted)).toBe(true);
  expect(isSamePolicy(JSON.stringify(wanted), wanted)).toBe(true);
});

test.for([
  ["lets others in as well", { ...wanted, Statement: [statement, { ...statement, Principal: "*" }] }],
  ["lets anyone in", { ...wanted, Statement: [{ ...statement, Principal: "*" }] }],
  ["has no conditions", { ...wanted, Statement: [{ ...statement, Condition: {} }] }],
  ["is for the cell whose name differs in case", topicPolicy(topicArn, "postern-aa")],
  ["is for another topic", topicPolicy(topicArn.replace("AA", "AB"), "postern-AA")],
  ["is a queue's", queuePolicy("arn:aws:sqs:eu-central-1:123456789012:postern-AA", topicArn)],
] as const)("a policy that %s is another", ([, policy]) => {
  expect(isSamePolicy(JSON.stringify(policy), wanted)).toBe(false);
});

test.for([undefined, "", "{", "null"])("%j is no policy", (text) => {
  expect(isSamePolicy(text, wanted)).toBe(false);
});
