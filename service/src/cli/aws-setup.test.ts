import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { anEnvironment } from "../../test/test-config.ts";
import { settingsIn, topicArnOf, useAwsCommand } from "../../test/use-aws-command.ts";
import { readConfig } from "../config.ts";
import { runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";

const aws = useAwsCommand();

afterEach(() => aws.simulator.control("DELETE", "rules"));

describe("postern aws setup", () => {
  test("creates the topic, queues, subscription, configuration set and event destination, and a second run changes nothing", async () => {
    const first = await aws.run(["setup"], { CELL_CODE: "e-" });
    expect(first).toEqual({
      code: 0,
      stderr: "",
      stdout: `✓ SNS topic postern-e-
✓ its messages are signed with SHA-256 (SignatureVersion 2)
✓ only SES may publish to it, for configuration set postern-e-
✓ SQS dead-letter queue postern-e--dead
✓ it keeps messages for 14 days
✓ SQS queue postern-e-
✓ only the topic may write to it; it keeps messages for 14 days and moves them to postern-e--dead after 100 tries
✓ the topic writes to the queue
✓ with an envelope that names the topic
✓ SES configuration set postern-e-, without SES's own suppression list
✓ its events go to the topic

Add these lines to .env:

AWS_FEEDBACK_TOPIC_ARN=arn:aws:sns:eu-central-1:123456789012:postern-e-
AWS_FEEDBACK_QUEUE_URL=${aws.simulator.url}/123456789012/postern-e-
`,
    });
    const created = await aws.readResources("postern-e-");
    expect(created).toMatchObject({
      topic: { SignatureVersion: "2", Policy: expect.stringContaining("configuration-set/postern-e-") },
      set: { SuppressionOptions: { SuppressedReasons: [] }, SendingOptions: { SendingEnabled: true } },
      destinations: [{ Enabled: true, SnsDestination: { TopicArn: topicArnOf("postern-e-") } }],
      queue: { MessageRetentionPeriod: "1209600", Policy: expect.stringContaining(topicArnOf("postern-e-")) },
      dead: { MessageRetentionPeriod: "1209600" },
      subscriptions: [{ Protocol: "sqs", Endpoint: "arn:aws:sqs:eu-central-1:123456789012:postern-e-" }],
    });
    expect(JSON.parse(created.queue?.RedrivePolicy ?? "")).toEqual({
      deadLetterTargetArn: "arn:aws:sqs:eu-central-1:123456789012:postern-e--dead",
      maxReceiveCount: 100,
    });

    const second = await aws.run(["setup"], { CELL_CODE: "e-" });
    expect({ ...second, stdout: second.stdout.replaceAll(" (already exists)", "") }).toEqual(first);
    expect(second.stdout.match(/already exists/g)).toHaveLength(2);
    expect(await aws.readResources("postern-e-")).toEqual(created);
  });

  test("--dry-run needs no database and no secrets", async () => {
    const missing = ["DATABASE_URL", "API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"];
    const { code, stdout, stderr } = await aws.run(
      ["setup", "--dry-run"],
      Object.fromEntries(missing.map((name) => [name, undefined])),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("No AWS call was made.");
  });

  test("refuses an endpoint that is not Amazon's when the provider is SES", async () => {
    const { code, stderr } = await aws.run(["setup", "--dry-run"], { POSTERN_PROVIDER: "ses" });
    expect(code).toBe(78);
    expect(stderr).toContain("AWS_ENDPOINT_URL_SESV2 is not an Amazon address");
  });

  test("prints settings that the configuration accepts", async () => {
    const { stdout } = await aws.run(["setup"]);
    const { provider } = readConfig(anEnvironment(settingsIn(stdout)));
    expect(provider).toMatchObject({
      feedbackTopicArn: topicArnOf("postern-AA"),
      awsAccountId: "123456789012",
      partition: "aws",
      feedbackQueueUrl: `${aws.simulator.url}/123456789012/postern-AA`,
    });
  });

  test("completes the set-up after an interruption at any step", async () => {
    const interruptions = [
      ["sns:CreateTopic", 0],
      ["sns:SetTopicAttributes", 1],
      ["sqs:CreateQueue", 3],
      ["sqs:SetQueueAttributes", 4],
      ["sns:Subscribe", 7],
      ["sns:SetSubscriptionAttributes", 8],
      ["ses:CreateConfigurationSet", 9],
      ["ses:CreateConfigurationSetEventDestination", 10],
    ] as const;
    for (const [action, done] of interruptions) {
      const fault = { kind: "http-error", status: 503 };
      await aws.simulator.control("POST", "rules", { times: 1, operation: action.slice(4), fault });
      const broken = await aws.run(["setup"], { CELL_CODE: "br" });
      expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(new RegExp(`^(✓ .+\\n){${done}}$`)) });
      expect(broken.stderr).toMatch(new RegExp(`^✗ AWS did not answer ${action}: .*run \`postern aws`));
    }
    expect(await aws.run(["setup"], { CELL_CODE: "br" })).toMatchObject({ code: 0 });
    expect((await aws.readResources("postern-br")).destinations).toHaveLength(1);
  }, 60_000);

  test("waits while AWS throttles it because running processes use up the request rate", async () => {
    const fault = { kind: "error", name: "TooManyRequestsException" };
    await aws.simulator.control("POST", "rules", { times: 2, operation: "CreateConfigurationSet", fault });
    expect(await aws.run(["setup"], { CELL_CODE: "bu" })).toMatchObject({ code: 0, stderr: "" });
  });

  test("--dry-run prints the resources and permissions, and creates nothing", async () => {
    // Without credentials and without a server, every AWS call would fail.
    const env = { CELL_CODE: "dr", AWS_ACCESS_KEY_ID: "", AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" };
    const { code, stdout, stderr } = await aws.run(["setup", "--dry-run"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const action of ["sns:CreateTopic", "sqs:CreateQueue", "sns:Subscribe", "ses:CreateConfigurationSet"]) {
      expect(stdout).toContain(`(${action})`);
    }
    const [forSetUp = "", forRunning = ""] = stdout.match(/^\{$.*?^\}$/gms) ?? [];
    expect(JSON.parse(forSetUp)).toEqual(setUpPolicy("dr", "eu-central-1"));
    expect(JSON.parse(forRunning)).toEqual(runTimePolicy("dr", "eu-central-1"));
    expect(forSetUp).toContain("arn:aws:sqs:eu-central-1:ACCOUNT_ID:postern-dr-dead");
    expect(forSetUp).not.toContain("ses:SendEmail");
    expect(forRunning).not.toContain("ses:CreateConfigurationSet");
    expect(stdout).toContain("No AWS call was made.");
    expect(stdout).not.toMatch(/tenant/i);
    const { stdout: withTenants } = await aws.run(["setup", "--dry-run"], { ...env, SES_TENANTS: "prepare" });
    for (const action of [
      "ListTenants",
      "CreateTenant",
      "CreateTenantResourceAssociation",
      "DeleteTenantResourceAssociation",
    ]) {
      expect(withTenants).toContain(`"ses:${action}"`);
    }
    expect(withTenants).toContain('"arn:aws:ses:eu-central-1:ACCOUNT_ID:tenant/postern-dr-*"');

    await aws.run(["setup", "--dry-run"], { CELL_CODE: "dr" });
    expect(await aws.listNames()).not.toContain("postern-dr");
    expect((await aws.listNames()).length).toBeGreaterThan(0);
  });

  const deniedCalls = [
    ["sns:CreateTopic", "CreateTopic", "AccessDeniedException"],
    ["sns:SetTopicAttributes", "SetTopicAttributes", "AccessDeniedException"],
    ["sqs:CreateQueue", "CreateQueue", "AccessDeniedException"],
    ["ses:CreateConfigurationSet", "CreateConfigurationSet", "AccessDeniedException"],
  ] as const;

  test.for(deniedCalls)("names the missing permission %s", async ([action, operation, name]) => {
    await aws.simulator.control("POST", "rules", { times: 1, operation, fault: { kind: "error", name } });
    const { code, stderr } = await aws.run(["setup"], { CELL_CODE: "no" });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `✗ The AWS credentials lack the permission ${action}: grant it. Then run \`postern aws setup\``,
    );
    expect(stderr).not.toContain("    at ");
  });

  test("without credentials it names the settings to set", async () => {
    const { code, stdout, stderr } = await aws.run(["setup"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("✗ There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    expect(stderr).not.toContain("    at ");
  });

  test("without a connection it says what to check", async () => {
    const { code, stderr } = await aws.run(["setup"], { AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("✗ AWS did not answer sns:CreateTopic: check AWS_REGION and the network"),
    });
  });

  test.for([
    [["set-up"], 'There is no command "set-up". Did you mean "setup"?', "<command>"],
    [["setup", "--dry"], 'There is no option "--dry".', "setup [--dry-run]"],
    [["doctor", "--dry-run"], 'There is no option "--dry-run".', "doctor"],
  ] as const)("wrong arguments %j end with code 64, the reason and the usage", async ([args, reason, usage]) => {
    const { code, stderr } = await aws.run(args);
    expect(code).toBe(64);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(`Usage: postern aws ${usage}\n`);
  });

  test.for([[], ["--help"], ["help"]])("prints the usage when called as: postern aws %s", async (args) => {
    expect(await aws.run(args)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ {2}postern aws setup --dry-run$/m),
    });
  });
});

test("every AWS call that the code makes is in one of the two IAM policies", () => {
  const folder = join(import.meta.dirname, "../provider/ses");
  const called = globSync("**/*.ts", { cwd: folder })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(join(folder, file), "utf8").matchAll(/new (\w+)Command\(/g)])
    .map(([, name = ""]) => name.replace(/Batch$/, ""));
  const options = { hasTenants: true };
  const policies = [setUpPolicy("AA", "eu-central-1", options), runTimePolicy("AA", "eu-central-1", options)];
  const allowed = policies.flatMap(({ Statement }) =>
    Statement.flatMap(({ Action }) => Action.map((name) => name.slice(4))),
  );
  // Nobody calls SendRawEmail, but SES may ask for its permission when a mail has attachments.
  expect([...new Set(allowed)].toSorted()).toEqual([...new Set([...called, "SendRawEmail"])].toSorted());
});
