import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../test/a-folder.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const run = promisify(execFile);

async function startProcess(...flags: string[]): Promise<{ child: ChildProcess; text: string }> {
  const child = spawn(main, ["--port", "0", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [text] = await once(child.stdout ?? child, "data");
  return { child, text: String(text) };
}

function exportsIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

test("the printed curl command sends a first mail without the AWS command line", async () => {
  const { text } = await startProcess("--data", aFolder());
  const curl = text.slice(text.indexOf("  curl "));
  const { stdout } = await run("bash", ["-c", curl]);
  const { MessageId } = JSON.parse(stdout);
  const url = /Ledger +(\S+)/.exec(text)?.[1] ?? "";
  const [record = "{}"] = (await (await fetch(url)).text()).split("\n");
  expect(JSON.parse(record)).toMatchObject({ messageId: MessageId, subject: "Hello" });
});

test("the printed environment variables point an SDK at all three services", async () => {
  const { text } = await startProcess("--data", aFolder(), "--region", "us-east-1");
  const environment = exportsIn(text);
  expect(Object.keys(environment)).toEqual([
    "POSTERN_PROVIDER",
    "AWS_REGION",
    "AWS_ENDPOINT_URL_SESV2",
    "AWS_ENDPOINT_URL_SNS",
    "AWS_ENDPOINT_URL_SQS",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "DNS_SERVERS",
  ]);
  const script = `
    import { GetAccountCommand, SESv2Client } from "@aws-sdk/client-sesv2";
    import { ListTopicsCommand, SNSClient } from "@aws-sdk/client-sns";
    import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
    await new SNSClient({}).send(new ListTopicsCommand({}));
    await new SQSClient({}).send(new ListQueuesCommand({}));
    console.log((await new SESv2Client({}).send(new GetAccountCommand({}))).SendQuota.MaxSendRate);`;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
    cwd,
    env: { ...process.env, ...environment },
  });
  expect(stdout).toBe("1000\n");
});

test("the printed page, control and ledger addresses answer 200", async () => {
  const { text } = await startProcess("--data", aFolder());
  const addresses = [...text.matchAll(/(?:Mail view|Control|Ledger) +(\S+)/g)].map(([, url = ""]) => url);
  expect(addresses).toHaveLength(3);
  for (const url of addresses) expect((await fetch(url)).status).toBe(200);
});

test("SIGTERM ends the simulator with exit code 0, and the next start has all its data", async () => {
  const folder = aFolder();
  const first = await startProcess("--data", folder, "--verify", "shop.test");
  await run("bash", ["-c", first.text.slice(first.text.indexOf("  curl "))]);
  first.child.kill("SIGTERM");
  expect(await once(first.child, "exit")).toEqual([0, null]);
  const second = await startProcess("--data", folder);
  const health = await fetch(/Control +(\S+)/.exec(second.text)?.[1] ?? "");
  expect(await health.json()).toMatchObject({ accepted: 1 });
});

test.each([
  ["an unknown flag", ["--prot", "1"], /Unknown option '--prot'/],
  ["a port that is not a number", ["--port", "many"], /--port must be a number/],
  ["a data folder that is a file", ["--port", "0", "--data", join(main, "x")], /ENOTDIR/],
])("%s ends the start with one line and exit code 1, without a stack trace", async (_, flags, message) => {
  const error = await run(process.execPath, [main, ...flags]).catch((e) => e);
  expect(error.code).toBe(1);
  expect(error.stderr).toMatch(message);
  expect(error.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
});
