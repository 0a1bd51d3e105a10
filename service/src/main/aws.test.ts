import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  ListConfigurationSetsCommand,
  SESv2Client,
} from "@aws-sdk/client-sesv2";
import { GetTopicAttributesCommand, ListTopicsCommand, SNSClient } from "@aws-sdk/client-sns";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { posternPath } from "../../test/spawn-postern.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { type Environment, readConfig } from "../config.ts";

const simulator = useSesSimulator({ region: "eu-central-1", accountId: "123456789012" });

afterEach(() => simulator.control("DELETE", "rules"));

describe("postern aws setup", () => {
  test("makes topic, policy, configuration set and destination, and running it again changes nothing", async () => {
    const first = await run(["setup"], { CELL_CODE: "e-" });
    expect(first).toEqual({
      code: 0,
      stderr: "",
      stdout: `✓ SNS topic postern-e-
✓ its messages are signed with SHA-256 (SignatureVersion 2)
✓ only SES may publish to it, for configuration set postern-e-
✓ SES configuration set postern-e-, without SES's own suppression list
✓ its events go to the topic

Put this line into .env:

AWS_FEEDBACK_TOPIC_ARN=arn:aws:sns:eu-central-1:123456789012:postern-e-
`,
    });
    const made = await whatIsThere("postern-e-");
    expect(made).toMatchObject({
      topic: { SignatureVersion: "2", Policy: expect.stringContaining("configuration-set/postern-e-") },
      set: { SuppressionOptions: { SuppressedReasons: [] }, SendingOptions: { SendingEnabled: true } },
      destinations: [{ Enabled: true, SnsDestination: { TopicArn: arnOf("postern-e-") } }],
    });

    const second = await run(["setup"], { CELL_CODE: "e-" });
    expect({ ...second, stdout: second.stdout.replaceAll(" (was there already)", "") }).toEqual(first);
    expect(second.stdout.match(/was there already/g)).toHaveLength(2);
    expect(await whatIsThere("postern-e-")).toEqual(made);
  });

  test("prints a line that the configuration takes, and asks SES no more than once a second", async () => {
    const askedAt: number[] = [];
    const ses = createServer((request, response) => {
      askedAt.push(performance.now());
      request.resume().on("end", () => response.end("{}"));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void ses.close());
    await once(ses, "listening");
    const { port } = ses.address() as AddressInfo; // A listening TCP server has no other kind of address.

    const { stdout } = await run(["setup"], { AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}` });
    const arn = /^AWS_FEEDBACK_TOPIC_ARN=(\S+)$/m.exec(stdout)?.[1];
    const { provider } = readConfig(anEnvironment({ AWS_FEEDBACK_TOPIC_ARN: arn }));
    expect(provider).toMatchObject({ feedbackTopicArn: arn, awsAccountId: "123456789012", partition: "aws" });
    const [first = 0, second = 0, ...more] = askedAt;
    expect(more).toEqual([]);
    // A timer may fire a millisecond early.
    expect(second - first).toBeGreaterThan(998);
  });

  test("goes on after an interruption where it stopped", async () => {
    const fault = { kind: "http-error", status: 503 };
    const operation = "CreateConfigurationSetEventDestination";
    await simulator.control("POST", "rules", { times: 1, operation, fault });
    const broken = await run(["setup"], { CELL_CODE: "br" });
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^(✓ .+\n){4}$/) });
    expect(broken.stderr).toMatch(
      /^✗ AWS did not answer ses:CreateConfigurationSetEventDestination: .*run `postern aws/,
    );
    expect(await run(["setup"], { CELL_CODE: "br" })).toMatchObject({ code: 0 });
    expect((await whatIsThere("postern-br")).destinations).toHaveLength(1);
  });

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
    for (const action of ["sns:CreateTopic", "sns:SetTopicAttributes", "ses:CreateConfigurationSet"]) {
      expect(stdout).toContain(`(${action})`);
    }
    expect(stdout).toContain("Nothing was called.");

    await run(["setup", "--dry-run"], { CELL_CODE: "dr" });
    expect(await names()).not.toContain("postern-dr");
    expect((await names()).length).toBeGreaterThan(0);
  });

  const refusals = [
    ["sns:CreateTopic", "CreateTopic", "AccessDeniedException"],
    ["sns:SetTopicAttributes", "SetTopicAttributes", "AccessDeniedException"],
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
  const [ses, sns] = [new SESv2Client(client()), new SNSClient(client())];
  const { Attributes: topic } = await sns.send(new GetTopicAttributesCommand({ TopicArn: arnOf(name) }));
  const { $metadata: _, ...set } = await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName: name }));
  const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name });
  const { EventDestinations: destinations } = await ses.send(command);
  return { topic, set, destinations };
}

/** Of every topic and configuration set. */
async function names(): Promise<string[]> {
  const { Topics = [] } = await new SNSClient(client()).send(new ListTopicsCommand());
  const { ConfigurationSets = [] } = await new SESv2Client(client()).send(new ListConfigurationSetsCommand());
  return [...Topics.map(({ TopicArn = "" }) => TopicArn.split(":").at(-1) ?? ""), ...ConfigurationSets];
}
