import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { linesWith, topicArnOf, useAwsCommand } from "../../test/use-aws-command.ts";
import type { Environment } from "../config.ts";

const aws = useAwsCommand();

afterEach(() => aws.simulator.control("DELETE", "rules"));

describe("postern aws doctor", () => {
  let env: Environment = {};
  beforeAll(async () => {
    env = await aws.aCell("d1");
  });

  test("finds no problem after a set-up", async () => {
    const { code, stdout, stderr } = await aws.run(["doctor"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`✓ SES answers in eu-central-1 at ${aws.simulator.url} and accepts the credentials
✓ quota: 10000 recipients a second, 1000000 in 24 hours, 0 used
✓ sending is enabled
✓ production access is granted
✓ SES does not object to the mail of the AWS account (HEALTHY)
✓ SES offers no reputation findings, because Virtual Deliverability Manager is disabled
✓ configuration set postern-d1
✓ SES applies no suppression list of its own to it
✓ sending is enabled for it
✓ its events go to the topic
✓ topic ${topicArnOf("postern-d1")}
✓ its messages are signed with SHA-256
✓ only SES may publish to it
✓ queue ${aws.simulator.url}/123456789012/postern-d1
✓ only the topic may write to it
✓ it keeps messages for 14 days
✓ dead-letter queue postern-d1-dead
✓ the topic writes to the queue

No problems found.
`);
  });

  test("reports every changed setting with its fix, and setup restores them", async () => {
    const changed = await aws.aCell("d2");
    const original = await aws.readResources("postern-d2");
    await aws.changeResources("postern-d2");
    const { code, stdout } = await aws.run(["doctor"], changed);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ SES applies its own suppression list to it, so a bounce of one account blocks that address for all accounts",
      "✗ SES does not publish SEND, REJECT, COMPLAINT, DELIVERY, DELIVERY_DELAY, RENDERING_FAILURE",
      "✗ its messages are signed with SHA-1, and Postern refuses such messages by push",
      "✗ its policy does not allow exactly SES to publish to it",
      "✗ its policy does not allow exactly the topic to write to it",
      "✗ it keeps messages for less than 14 days",
      "✗ it does not move messages to a dead-letter queue after 100 tries",
    ]);
    expect(linesWith("!", stdout)).toEqual([
      "! it writes messages without envelopes, so Postern cannot check their topic",
    ]);
    expect(stdout).toContain("\n  → run `postern aws setup`\n");
    expect(stdout).toMatch(/\n7 problems found\.\n$/);
    expect(await aws.run(["setup"], { CELL_CODE: "d2" })).toMatchObject({ code: 0, stderr: "" });
    expect(await aws.readResources("postern-d2")).toEqual(original);
    expect(await aws.run(["doctor"], changed)).toMatchObject({ code: 0 });
  });

  test("names the missing resources before a set-up", async () => {
    const { code, stdout } = await aws.run(["doctor"], { CELL_CODE: "d3" });
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ there is no configuration set postern-d3",
      "✗ AWS_FEEDBACK_TOPIC_ARN is not set",
    ]);
  });

  test("reports every resource that the settings name and AWS does not have", async () => {
    const deleted = {
      CELL_CODE: "d4",
      AWS_FEEDBACK_TOPIC_ARN: topicArnOf("postern-d4"),
      AWS_FEEDBACK_QUEUE_URL: `${aws.simulator.url}/123456789012/postern-d4`,
    };
    const { code, stdout } = await aws.run(["doctor"], deleted);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ there is no configuration set postern-d4",
      `✗ there is no topic ${topicArnOf("postern-d4")}`,
      `✗ there is no queue ${aws.simulator.url}/123456789012/postern-d4`,
    ]);
  });

  test("mentions the SES sandbox and dead-letter messages, but not as problems", async () => {
    await aws.simulator.control("PATCH", "account", { productionAccess: false });
    onTestFinished(() => aws.simulator.control("PATCH", "account", { productionAccess: true }));
    const QueueUrl = `${aws.simulator.url}/123456789012/postern-d1-dead`;
    await new SQSClient(aws.clientSettings()).send(new SendMessageCommand({ QueueUrl, MessageBody: "not applicable" }));
    const { code, stdout } = await aws.run(["doctor"], env);
    expect(code).toBe(0);
    expect(linesWith("!", stdout)).toEqual([
      "! the account is in the SES sandbox and may send only to verified addresses",
      "! 1 message waits in postern-d1-dead",
    ]);
  });

  test("reports disabled sending of the account and of the configuration set", async () => {
    await aws.simulator.control("PATCH", "account", { sendingEnabled: false });
    onTestFinished(() => aws.simulator.control("PATCH", "account", { sendingEnabled: true }));
    await aws.setSending("postern-d1", false);
    onTestFinished(() => aws.setSending("postern-d1", true));
    const { code, stdout } = await aws.run(["doctor"], env);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ sending is disabled for the AWS account",
      "✗ sending is disabled for it",
    ]);
  });

  test("reports an AWS account under review and each kind of reputation finding", async () => {
    const aFinding = { type: "COMPLAINT", impact: "HIGH", resourceArn: "arn:x" };
    const recommendations = [aFinding, { ...aFinding, impact: "LOW" }, { ...aFinding, type: "DKIM" }];
    await aws.simulator.control("PATCH", "account", { enforcementStatus: "PROBATION", recommendations });
    onTestFinished(() =>
      aws.simulator.control("PATCH", "account", { enforcementStatus: "HEALTHY", recommendations: null }),
    );
    const { code, stdout } = await aws.run(["doctor"], env);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ SES objects to the mail of the AWS account (PROBATION)",
      "✗ SES reports 2 reputation findings of the kind COMPLAINT; the first has high impact on arn:x",
    ]);
    await aws.simulator.control("PATCH", "account", { enforcementStatus: "HEALTHY", recommendations: [] });
    expect((await aws.run(["doctor"], env)).stdout).toContain("✓ SES reports no reputation findings\n");
  });

  test("a missing permission to read reputation findings is no problem", async () => {
    const fault = { kind: "error", name: "AccessDeniedException" };
    await aws.simulator.control("POST", "rules", { operation: "ListRecommendations", fault });
    const { code, stdout } = await aws.run(["doctor"], env);
    expect(code).toBe(0);
    expect(linesWith("!", stdout)).toContain("! the reputation findings of SES cannot be read");
  });

  test("checks tenants only if SES_TENANTS is not off, and names the missing permission", async () => {
    const fault = { kind: "error", name: "AccessDeniedException" };
    await aws.simulator.control("POST", "rules", { operation: "ListTenants", fault });
    expect((await aws.run(["doctor"], env)).stdout).not.toMatch(/tenant/i);
    const denied = await aws.run(["doctor"], { ...env, SES_TENANTS: "on" });
    expect(linesWith("✗", denied.stdout)).toEqual(["✗ the tenants cannot be checked"]);
    expect(denied.stdout).toContain("lack the permission ses:ListTenants");
    await aws.simulator.control("DELETE", "rules");
    expect((await aws.run(["doctor"], { ...env, SES_TENANTS: "prepare" })).stdout).toContain("✓ SES offers tenants\n");
  });

  test("accepts push instead of a queue", async () => {
    const { AWS_FEEDBACK_QUEUE_URL: _, ...pushed } = env;
    const neither = await aws.run(["doctor"], pushed);
    expect(linesWith("✗", neither.stdout)).toEqual([
      "✗ AWS_FEEDBACK_QUEUE_URL is not set, and the topic has no push subscription",
    ]);
    await aws.confirmPush(topicArnOf("postern-d1"));
    const { code, stdout } = await aws.run(["doctor"], pushed);
    expect(code).toBe(0);
    expect(linesWith("!", stdout)).toEqual(["! AWS_FEEDBACK_QUEUE_URL is not set: events arrive by push only"]);
  });

  test("names every missing permission and continues", async () => {
    const actions = [
      "ses:GetAccount",
      "ses:GetConfigurationSet",
      "ses:GetConfigurationSetEventDestinations",
      "sns:GetTopicAttributes",
      "sqs:GetQueueAttributes",
      "sns:ListSubscriptionsByTopic",
    ];
    for (const action of actions) {
      const fault = { kind: "error", name: "AccessDeniedException" };
      await aws.simulator.control("POST", "rules", { operation: action.slice(4), fault });
    }
    const { code, stdout } = await aws.run(["doctor"], env);
    expect(code).toBe(1);
    for (const action of actions) expect(stdout).toContain(`  → The AWS credentials lack the permission ${action}:`);
  });

  test("stops at the first check without credentials, and names the settings to set", async () => {
    const { code, stdout, stderr } = await aws.run(["doctor"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(linesWith("✗", stdout)).toEqual(["✗ the SES account cannot be checked"]);
    expect(stdout).toContain("  → There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  });

  test("says what to check when AWS does not answer", async () => {
    const { code, stdout } = await aws.run(["doctor"], { AWS_ENDPOINT_URL_SESV2: "http://127.0.0.1:1" });
    expect(code).toBe(1);
    expect(stdout).toContain("→ AWS did not answer ses:GetAccount: check AWS_REGION and the network");
  });
});
