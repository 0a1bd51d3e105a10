import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
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
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Environment } from "../src/config.ts";
import { anEndpoint } from "./an-endpoint.ts";
import { posternPath } from "./spawn-postern.ts";
import { anEnvironment } from "./test-config.ts";
import { useSesSimulator } from "./use-ses-simulator.ts";

/** `postern aws` against a simulated AWS account, and the resources in that account. */
export function useAwsCommand() {
  const simulator = useSesSimulator({ region: "eu-central-1", accountId: "123456789012" });
  const clientSettings = () => ({
    region: "eu-central-1",
    endpoint: simulator.url,
    credentials: { accessKeyId: "simulator", secretAccessKey: "simulator" },
  });
  const clients = () => ({
    ses: new SESv2Client(clientSettings()),
    sns: new SNSClient(clientSettings()),
    sqs: new SQSClient(clientSettings()),
  });

  /** Starts a real process without this process's environment, so that it finds no real credentials. */
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
      timeout: 40_000,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code, stdout, stderr };
  }

  /** Runs the set-up of a cell and returns the environment of its processes. */
  async function aCell(CELL_CODE: string): Promise<Environment> {
    return { CELL_CODE, ...settingsIn((await run(["setup"], { CELL_CODE })).stdout) };
  }

  async function readResources(name: string) {
    const { ses, sns, sqs } = clients();
    const TopicArn = topicArnOf(name);
    const { Attributes: topic } = await sns.send(new GetTopicAttributesCommand({ TopicArn }));
    const { Subscriptions: subscriptions } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    const { $metadata: _, ...set } = await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName: name }));
    const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name });
    const { EventDestinations: destinations } = await ses.send(command);
    const attributesOf = async (queue: string) => {
      const QueueUrl = `${simulator.url}/123456789012/${queue}`;
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
      return Attributes;
    };
    const [queue, dead] = [await attributesOf(name), await attributesOf(`${name}-dead`)];
    return { topic, subscriptions, set, destinations, queue, dead };
  }

  /** Gives every resource wrong settings, as a careless administrator could. */
  async function changeResources(name: string): Promise<void> {
    const { ses, sns, sqs } = clients();
    const TopicArn = topicArnOf(name);
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
    await clients().ses.send(new PutConfigurationSetSendingOptionsCommand(options));
  }

  async function confirmPush(TopicArn: string): Promise<void> {
    const { sns } = clients();
    const token = Promise.withResolvers<string>();
    const endpoint = await anEndpoint((body) => {
      token.resolve(JSON.parse(body).Token);
      return { status: 200, body: "" };
    });
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: endpoint.url }));
    await sns.send(new ConfirmSubscriptionCommand({ TopicArn, Token: await token.promise }));
  }

  /** The names of every topic and configuration set. */
  async function listNames(): Promise<string[]> {
    const { ses, sns } = clients();
    const { Topics = [] } = await sns.send(new ListTopicsCommand());
    const { ConfigurationSets = [] } = await ses.send(new ListConfigurationSetsCommand());
    return [...Topics.map(({ TopicArn = "" }) => TopicArn.split(":").at(-1) ?? ""), ...ConfigurationSets];
  }

  return { simulator, clientSettings, run, aCell, readResources, changeResources, setSending, confirmPush, listNames };
}

export function topicArnOf(name: string): string {
  return `arn:aws:sns:eu-central-1:123456789012:${name}`;
}

/** The lines that `postern aws setup` prints for .env. */
export function settingsIn(stdout: string): Environment {
  return Object.fromEntries([...stdout.matchAll(/^(AWS_\w+)=(\S+)$/gm)].map(([, name = "", value]) => [name, value]));
}

export function linesWith(mark: string, stdout: string): string[] {
  return stdout.split("\n").filter((line) => line.startsWith(mark));
}
