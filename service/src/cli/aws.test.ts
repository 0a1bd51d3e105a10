import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  ListConfigurationSetsCommand,
  PutConfigurationSetSendingOptionsCommand,
  PutConfigurationSetSuppressionOptionsCommand,
  SESv2Client,
  UpdateConfigurationSetEventDestinationCommand,
} from "@aws-sdk/client-sesv2";
import {
  ConfirmSubscriptionCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
} from "@aws-sdk/client-sns";
import {
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { anEndpoint } from "../../test/an-endpoint.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { type Environment, readConfig } from "../config.ts";
import { runTimePolicy, setUpPolicy } from "../provider/ses/setup/iam-policies.ts";

const simulator = useSesSimulator({ region: "eu-central-1", accountId: "123456789012" });

afterEach(() => simulator.control("DELETE", "rules"));

describe("postern aws setup", () => {
  test("makes topic, queues, subscription, configuration set and destination, and running it again changes nothing", async () => {
    const first = await run(["setup"], { CELL_CODE: "e-" });
    expect(first).toEqual({
      code: 0,
      stderr: "",
      stdout: `✓ SNS topic postern-e-
✓ its messages are signed with SHA-256 (SignatureVersion 2)
✓ only SES may publish to it, for configuration set postern-e-
✓ SQS queue postern-e--dead for what cannot be applied
✓ it keeps messages for 14 days
✓ SQS queue postern-e-
✓ only the topic may write to it; it keeps messages for 14 days, and after 100 tries they go to postern-e--dead
✓ the topic writes to the queue
✓ with an envelope that names the topic
✓ SES configuration set postern-e-, without SES's own suppression list
✓ its events go to the topic

Put these lines into .env:

AWS_FEEDBACK_TOPIC_ARN=arn:aws:sns:eu-central-1:123456789012:postern-e-
AWS_FEEDBACK_QUEUE_URL=${simulator.url}/123456789012/postern-e-
`,
    });
    const made = await whatIsThere("postern-e-");
    expect(made).toMatchObject({
      topic: { SignatureVersion: "2", Policy: expect.stringContaining("configuration-set/postern-e-") },
      set: { SuppressionOptions: { SuppressedReasons: [] }, SendingOptions: { SendingEnabled: true } },
      destinations: [{ Enabled: true, SnsDestination: { TopicArn: arnOf("postern-e-") } }],
      queue: { MessageRetentionPeriod: "1209600", Policy: expect.stringContaining(arnOf("postern-e-")) },
      dead: { MessageRetentionPeriod: "1209600" },
      subscriptions: [{ Protocol: "sqs", Endpoint: "arn:aws:sqs:eu-central-1:123456789012:postern-e-" }],
    });
    expect(JSON.parse(made.queue?.RedrivePolicy ?? "")).toEqual({
      deadLetterTargetArn: "arn:aws:sqs:eu-central-1:123456789012:postern-e--dead",
      maxReceiveCount: 100,
    });

    const second = await run(["setup"], { CELL_CODE: "e-" });
    expect({ ...second, stdout: second.stdout.replaceAll(" (was there already)", "") }).toEqual(first);
    expect(second.stdout.match(/was there already/g)).toHaveLength(2);
    expect(await whatIsThere("postern-e-")).toEqual(made);
  });

  test("prints lines that the configuration takes", async () => {
    const { stdout } = await run(["setup"]);
    const { provider } = readConfig(anEnvironment(linesIn(stdout)));
    expect(provider).toMatchObject({
      feedbackTopicArn: arnOf("postern-AA"),
      awsAccountId: "123456789012",
      partition: "aws",
      feedbackQueueUrl: `${simulator.url}/123456789012/postern-AA`,
    });
  });

  test("goes on after an interruption at any step", async () => {
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
      await simulator.control("POST", "rules", { times: 1, operation: action.slice(4), fault });
      const broken = await run(["setup"], { CELL_CODE: "br" });
      expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(new RegExp(`^(✓ .+\\n){${done}}$`)) });
      expect(broken.stderr).toMatch(new RegExp(`^✗ AWS did not answer ${action}: .*run \`postern aws`));
    }
    expect(await run(["setup"], { CELL_CODE: "br" })).toMatchObject({ code: 0 });
    expect((await whatIsThere("postern-br")).destinations).toHaveLength(1);
  }, 60_000);

  test("waits when a running Postern uses the budget of requests", async () => {
    const fault = { kind: "error", name: "TooManyRequestsException" };
    await simulator.control("POST", "rules", { times: 2, operation: "CreateConfigurationSet", fault });
    expect(await run(["setup"], { CELL_CODE: "bu" })).toMatchObject({ code: 0, stderr: "" });
  });

  test("--dry-run shows the plan with the permissions it needs, and leaves nothing behind", async () => {
    // Without credentials and without a server: a call would fail.
    const env = { CELL_CODE: "dr", AWS_ACCESS_KEY_ID: "", AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" };
    const { code, stdout, stderr } = await run(["setup", "--dry-run"], env);
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
    expect(stdout).toContain("Nothing was called.");

    await run(["setup", "--dry-run"], { CELL_CODE: "dr" });
    expect(await names()).not.toContain("postern-dr");
    expect((await names()).length).toBeGreaterThan(0);
  });

  const refusals = [
    ["sns:CreateTopic", "CreateTopic", "AccessDeniedException"],
    ["sns:SetTopicAttributes", "SetTopicAttributes", "AccessDeniedException"],
    ["sqs:CreateQueue", "CreateQueue", "AccessDeniedException"],
    ["ses:CreateConfigurationSet", "CreateConfigurationSet", "AccessDeniedException"],
  ] as const;

  test.for(refusals)("names the missing permission %s", async ([action, operation, name]) => {
    await simulator.control("POST", "rules", { times: 1, operation, fault: { kind: "error", name } });
    const { code, stderr } = await run(["setup"], { CELL_CODE: "no" });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `✗ The AWS credentials may not do ${action}: allow it to them, and run \`postern aws setup\``,
    );
    expect(stderr).not.toContain("    at ");
  });

  test("without credentials it says which to set", async () => {
    const { code, stdout, stderr } = await run(["setup"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("✗ There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    expect(stderr).not.toContain("    at ");
  });

  test("without a server it says what to check", async () => {
    const { code, stderr } = await run(["setup"], { AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("✗ AWS did not answer sns:CreateTopic: check AWS_REGION and the network"),
    });
  });

  test.for([
    [["set-up"], 'There is no command "set-up".'],
    [["setup", "--dry"], "'--dry'"],
    [["doctor", "--dry-run"], "'--dry-run'"],
  ] as const)("called as %j it ends with 64, the reason and the usage", async ([args, reason]) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(64);
    expect(stderr).toContain(reason);
    expect(stderr).toContain("Usage: postern aws <command> [options]");
  });

  test.for([[], ["--help"], ["help"]])("explains itself when called as: postern aws %s", async (args) => {
    expect(await run(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}setup --dry-run /m) });
  });
});

describe("postern aws doctor", () => {
  let env: Environment = {};
  beforeAll(async () => {
    env = await settled("d1");
  });

  test("finds nothing wrong after a set-up", async () => {
    const { code, stdout, stderr } = await run(["doctor"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`✓ SES answers in eu-central-1 at ${simulator.url} and knows the credentials
✓ quota: 10000 recipients a second, 1000000 in 24 hours, 0 used
✓ sending is enabled
✓ production access is granted
✓ configuration set postern-d1
✓ SES keeps no suppression list of its own for it
✓ sending is enabled for it
✓ its events go to the topic
✓ topic ${arnOf("postern-d1")}
✓ its messages are signed with SHA-256
✓ only SES may publish to it
✓ queue ${simulator.url}/123456789012/postern-d1
✓ only the topic may write to it
✓ it keeps messages for 14 days
✓ dead-letter queue postern-d1-dead
✓ the topic writes to the queue

Nothing is wrong.
`);
  });

  test("says of everything that somebody changed how to mend it, and setup puts it right", async () => {
    const spoilt = await settled("d2");
    const made = await whatIsThere("postern-d2");
    await spoil("postern-d2");
    const { code, stdout } = await run(["doctor"], spoilt);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ SES keeps a suppression list of its own for it, so one account's bounce silences all others",
      "✗ SES does not tell SEND, REJECT, COMPLAINT, DELIVERY, DELIVERY_DELAY, RENDERING_FAILURE",
      "✗ its messages are signed with SHA-1, which pushed ones are refused for",
      "✗ its policy is not the one that lets SES in, and nobody else",
      "✗ its policy is not the one that lets the topic in, and nobody else",
      "✗ it keeps messages for less than 14 days",
      "✗ it has no dead-letter queue that takes messages after 100 tries",
    ]);
    expect(linesWith("!", stdout)).toEqual(["! without envelopes: their topic is not compared"]);
    expect(stdout).toContain("\n  → run `postern aws setup`\n");
    expect(stdout).toMatch(/\n7 problems\.\n$/);
    expect(await run(["setup"], { CELL_CODE: "d2" })).toMatchObject({ code: 0, stderr: "" });
    expect(await whatIsThere("postern-d2")).toEqual(made);
    expect(await run(["doctor"], spoilt)).toMatchObject({ code: 0 });
  });

  test("before a set-up says what is missing", async () => {
    const { code, stdout } = await run(["doctor"], { CELL_CODE: "d3" });
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ there is no configuration set postern-d3",
      "✗ AWS_FEEDBACK_TOPIC_ARN is not set",
    ]);
  });

  test("finds everything gone that the settings name", async () => {
    const gone = {
      CELL_CODE: "d4",
      AWS_FEEDBACK_TOPIC_ARN: arnOf("postern-d4"),
      AWS_FEEDBACK_QUEUE_URL: `${simulator.url}/123456789012/postern-d4`,
    };
    const { code, stdout } = await run(["doctor"], gone);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ there is no configuration set postern-d4",
      `✗ there is no topic ${arnOf("postern-d4")}`,
      `✗ there is no queue ${simulator.url}/123456789012/postern-d4`,
    ]);
  });

  test("tells of the SES sandbox and of messages that could not be applied, without calling them wrong", async () => {
    await simulator.control("PATCH", "account", { productionAccess: false });
    onTestFinished(() => simulator.control("PATCH", "account", { productionAccess: true }));
    const QueueUrl = `${simulator.url}/123456789012/postern-d1-dead`;
    await new SQSClient(client()).send(new SendMessageCommand({ QueueUrl, MessageBody: "odd" }));
    const { code, stdout } = await run(["doctor"], env);
    expect(code).toBe(0);
    expect(linesWith("!", stdout)).toEqual([
      "! the account is in the SES sandbox and mails only verified addresses",
      "! 1 message waits in postern-d1-dead",
    ]);
  });

  test("says when sending is switched off, for the account and for the configuration set", async () => {
    await simulator.control("PATCH", "account", { sendingEnabled: false });
    onTestFinished(() => simulator.control("PATCH", "account", { sendingEnabled: true }));
    await setSending("postern-d1", false);
    onTestFinished(() => setSending("postern-d1", true));
    const { code, stdout } = await run(["doctor"], env);
    expect(code).toBe(1);
    expect(linesWith("✗", stdout)).toEqual([
      "✗ sending is disabled for the AWS account",
      "✗ sending is disabled for it",
    ]);
  });

  test("takes push for an answer where there is no queue", async () => {
    const { AWS_FEEDBACK_QUEUE_URL: _, ...pushed } = env;
    const nothing = await run(["doctor"], pushed);
    expect(linesWith("✗", nothing.stdout)).toEqual([
      "✗ AWS_FEEDBACK_QUEUE_URL is not set, and nothing is pushed either",
    ]);
    await aConfirmedPush(arnOf("postern-d1"));
    const { code, stdout } = await run(["doctor"], pushed);
    expect(code).toBe(0);
    expect(linesWith("!", stdout)).toEqual(["! AWS_FEEDBACK_QUEUE_URL is not set: events only come by push"]);
  });

  test("names each permission that is missing and goes on", async () => {
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
      await simulator.control("POST", "rules", { operation: action.slice(4), fault });
    }
    const { code, stdout } = await run(["doctor"], env);
    expect(code).toBe(1);
    for (const action of actions) expect(stdout).toContain(`  → The AWS credentials may not do ${action}:`);
  });

  test("stops at once without credentials, and says which to set", async () => {
    const { code, stdout, stderr } = await run(["doctor"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(linesWith("✗", stdout)).toEqual(["✗ the SES account could not be looked at"]);
    expect(stdout).toContain("  → There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  });

  test("says what to check when nothing answers", async () => {
    const nowhere = "http://127.0.0.1:1";
    const { code, stdout } = await run(["doctor"], { AWS_ENDPOINT_URL_SESV2: nowhere });
    expect(code).toBe(1);
    expect(stdout).toContain("→ AWS did not answer ses:GetAccount: check AWS_REGION and the network");
  });
});

test("every AWS call that the code makes is in one of the two IAM policies", () => {
  const folder = join(import.meta.dirname, "../provider/ses");
  const called = globSync("*.ts", { cwd: folder })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(join(folder, file), "utf8").matchAll(/new (\w+)Command\(/g)])
    .map(([, name = ""]) => name.replace(/Batch$/, ""));
  const policies = [setUpPolicy("AA", "eu-central-1"), runTimePolicy("AA", "eu-central-1")];
  const allowed = policies.flatMap(({ Statement }) =>
    Statement.flatMap(({ Action }) => Action.map((name) => name.slice(4))),
  );
  expect([...new Set(allowed)].toSorted()).toEqual([...new Set(called)].toSorted());
});

/** A real process with nothing of this one's environment, so that no real credentials are found. */
async function run(args: readonly string[], env: Environment = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "postern-aws-"));
  const child = spawn(process.execPath, [posternPath, "aws", ...args], {
    cwd,
    env: {
      ...anEnvironment({
        AWS_ENDPOINT_URL_SESV2: simulator.url,
        AWS_ENDPOINT_URL_SNS: simulator.url,
        AWS_ENDPOINT_URL_SQS: simulator.url,
      }),
      HOME: cwd,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_ACCESS_KEY_ID: "simulator",
      AWS_SECRET_ACCESS_KEY: "simulator",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 15_000,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

const client = () => ({
  region: "eu-central-1",
  endpoint: simulator.url,
  credentials: { accessKeyId: "simulator", secretAccessKey: "simulator" },
});
const arnOf = (name: string) => `arn:aws:sns:eu-central-1:123456789012:${name}`;

async function whatIsThere(name: string) {
  const [ses, sns, sqs] = [new SESv2Client(client()), new SNSClient(client()), new SQSClient(client())];
  const { Attributes: topic } = await sns.send(new GetTopicAttributesCommand({ TopicArn: arnOf(name) }));
  const { Subscriptions: subscriptions } = await sns.send(
    new ListSubscriptionsByTopicCommand({ TopicArn: arnOf(name) }),
  );
  const { $metadata: _, ...set } = await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName: name }));
  const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name });
  const { EventDestinations: destinations } = await ses.send(command);
  const attributesOf = async (queue: string) => {
    const QueueUrl = `${simulator.url}/123456789012/${queue}`;
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    return Attributes;
  };
  return {
    topic,
    subscriptions,
    set,
    destinations,
    queue: await attributesOf(name),
    dead: await attributesOf(`${name}-dead`),
  };
}

/** As somebody in a hurry might leave it. */
async function spoil(name: string): Promise<void> {
  const [ses, sns, sqs] = [new SESv2Client(client()), new SNSClient(client()), new SQSClient(client())];
  const TopicArn = arnOf(name);
  const [set, QueueUrl] = [{ ConfigurationSetName: name }, `${simulator.url}/123456789012/${name}`];
  const EventDestination = { Enabled: true, MatchingEventTypes: ["BOUNCE" as const], SnsDestination: { TopicArn } };
  await ses.send(new PutConfigurationSetSuppressionOptionsCommand({ ...set, SuppressedReasons: ["BOUNCE"] }));
  const destination = { ...set, EventDestinationName: "postern", EventDestination };
  await ses.send(new UpdateConfigurationSetEventDestinationCommand(destination));
  const { Subscriptions: [subscription] = [] } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  const raw = { AttributeName: "RawMessageDelivery", AttributeValue: "true" };
  await sns.send(new SetSubscriptionAttributesCommand({ SubscriptionArn: subscription?.SubscriptionArn, ...raw }));
  const anyone = JSON.stringify({ Statement: [{ Effect: "Allow", Principal: "*", Action: "*", Resource: "*" }] });
  for (const [AttributeName, AttributeValue] of [
    ["SignatureVersion", "1"],
    ["Policy", anyone],
  ]) {
    await sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
  }
  const Attributes = { Policy: anyone, MessageRetentionPeriod: "60", RedrivePolicy: "" };
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
}

async function setSending(ConfigurationSetName: string, SendingEnabled: boolean): Promise<void> {
  const options = { ConfigurationSetName, SendingEnabled };
  await new SESv2Client(client()).send(new PutConfigurationSetSendingOptionsCommand(options));
}

async function aConfirmedPush(TopicArn: string): Promise<void> {
  const sns = new SNSClient(client());
  let confirm: (token: string) => void;
  const token = new Promise<string>((resolve) => {
    confirm = resolve;
  });
  const endpoint = await anEndpoint((body) => {
    confirm(JSON.parse(body).Token);
    return { status: 200, body: "" };
  });
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: endpoint.url }));
  await sns.send(new ConfirmSubscriptionCommand({ TopicArn, Token: await token }));
}

/** A cell that was set up, as the environment of its processes. */
async function settled(CELL_CODE: string): Promise<Environment> {
  return { CELL_CODE, ...linesIn((await run(["setup"], { CELL_CODE })).stdout) };
}

/** The lines for .env. */
function linesIn(stdout: string): Environment {
  return Object.fromEntries([...stdout.matchAll(/^(AWS_\w+)=(\S+)$/gm)].map(([, name = "", value]) => [name, value]));
}

function linesWith(sign: string, stdout: string): string[] {
  return stdout.split("\n").filter((line) => line.startsWith(sign));
}

/** Of every topic and configuration set. */
async function names(): Promise<string[]> {
  const { Topics = [] } = await new SNSClient(client()).send(new ListTopicsCommand());
  const { ConfigurationSets = [] } = await new SESv2Client(client()).send(new ListConfigurationSetsCommand());
  return [...Topics.map(({ TopicArn = "" }) => TopicArn.split(":").at(-1) ?? ""), ...ConfigurationSets];
}
