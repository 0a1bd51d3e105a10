import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { ListSubscriptionsByTopicCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, ListQueuesCommand, PurgeQueueCommand } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type SimulatedAws, startSimulatedAws } from "../../../test/simulated-aws.ts";
import { posternPath } from "../../../test/spawn-postern.ts";
import { createSqsQueue } from "../../provider/ses/feedback/sqs-queue.ts";

let aws: SimulatedAws;
beforeAll(async () => {
  aws = await startSimulatedAws();
});
afterEach(() => aws.control("DELETE", "rules"));
afterAll(() => aws.stop());

function start(...args: string[]) {
  const child = spawn(process.execPath, [posternPath, "aws", "check", ...args], {
    env: { ...aws.environment, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 40_000,
    killSignal: "SIGKILL",
  });
  return { child, ended: Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]) };
}

async function run(...args: string[]) {
  const [stdout, stderr, [code]] = await start(...args).ended;
  return { code, stdout, stderr };
}

/** The names of every queue and the endpoints of every subscription. */
async function temporaryResources(): Promise<string[]> {
  const { QueueUrls = [] } = await aws.sqs.send(new ListQueuesCommand());
  const { Subscriptions = [] } = await aws.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn: aws.topicArn }));
  return [...QueueUrls, ...Subscriptions.map(({ Endpoint = "" }) => Endpoint)].filter((name) => /-check-/.test(name));
}

test("a correct set-up passes as text and leaves no queue behind", async () => {
  const { code, stdout, stderr } = await run("--from", "hello@shop.test");
  expect(stdout.split("\n").filter((line) => /^[✗!]/.test(line))).toEqual([]);
  expect(code).toBe(0);
  expect(stdout).toContain("✓ complaint@simulator.amazonses.com: Send after ");
  expect(stdout).toMatch(/\nNo problems found\.\n$/);
  expect(stderr).toBe("1 of 6 mails sent, waiting for events\n6 of 6 mails sent, waiting for events\n");
  expect(await temporaryResources()).toEqual([]);
});

test("a worker would ignore every event of the check in the queue of the installation", async () => {
  const { queueUrl, topicArn, url: endpoint } = aws;
  await aws.sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
  await run("--from", "hello@shop.test");
  const queue = createSqsQueue({ region: "eu-central-1", endpoint, queueUrl, topicArns: [topicArn] });
  const readings: unknown[] = [];
  for (;;) {
    const messages = await queue.receive({ waitSeconds: 1 });
    if (messages === "closed" || messages.length === 0) break;
    readings.push(...messages.map(({ feedback }) => feedback));
  }
  // Six mails with two or three events each.
  expect(readings).toHaveLength(14);
  for (const reading of readings) expect(reading).toEqual({ kind: "ignored", type: "aws-check" });
});

test("--json has the result, each finding with its fix, and the events of each mail", async () => {
  await aws.control("POST", "rules", { events: { lost: ["Complaint"] } });
  const { code, stdout } = await run("--from", "hello@shop.test", "--json", "--timeout", "2");
  const report = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(report).toMatchObject({ result: "failed", cell: "AA", region: "eu-central-1", from: "hello@shop.test" });
  const problems = report.findings.filter(({ state }: { state: string }) => state === "problem");
  expect(problems).toEqual([
    {
      check: "mail.complaint",
      state: "problem",
      what: expect.stringContaining("SES did not report Complaint"),
      fix: expect.stringContaining("--timeout"),
    },
  ]);
  expect(report.mails).toHaveLength(6);
  expect(report.mails[1]).toMatchObject({
    name: "bounce",
    to: "bounce@simulator.amazonses.com",
    messageId: expect.any(String),
    events: expect.arrayContaining([{ kind: "bounce", afterSeconds: expect.any(Number) }]),
  });
});

test("Ctrl-C while it waits ends it at once and removes the queue", async () => {
  await aws.control("POST", "rules", { events: { lost: ["Send", "Delivery"] } });
  const { child, ended } = start("--from", "hello@shop.test", "--timeout", "600");
  child.stderr.once("data", () => child.kill("SIGINT"));
  const [stdout, , [code]] = await ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/\nInterrupted\. .*\n$/);
  expect(await temporaryResources()).toEqual([]);
});

test("removes the queue of a run that was killed hours ago, and leaves that of one that may still run", async () => {
  const recent = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}-0a0b0c0d`;
  for (const name of [`postern-AA-check-20260101T000000Z-0a0b0c0d`, `postern-AA-check-${recent}`]) {
    await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
    const Endpoint = `arn:aws:sqs:eu-central-1:000000000000:${name}`;
    await aws.sns.send(new SubscribeCommand({ TopicArn: aws.topicArn, Protocol: "sqs", Endpoint }));
  }
  expect((await run("--from", "hello@shop.test")).code).toBe(0);
  const left = await temporaryResources();
  expect(left).toHaveLength(2);
  for (const name of left) expect(name).toContain(recent);
});

test.for([
  [[], "--from is missing."],
  [["--from", "nobody"], "--from has no @"],
  [["--from", "Hello <hello@shop.test>"], "--from must be an address alone"],
  [["--from", "hello@shop.test", "--timeout", "0"], "--timeout must be a whole number of seconds from 1 to 3600"],
] as const)("wrong arguments %j end with code 64 and the reason", async ([args, reason]) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(64);
  expect(stderr).toContain(reason);
});
