import { rmSync } from "node:fs";
import { GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Environment } from "../src/config.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { setUp } from "../src/provider/ses/setup/set-up.ts";
import { anEnvironment, simulatorSettings } from "./test-config.ts";

export interface DnsEntry {
  type: "TXT" | "CNAME" | "MX";
  name: string;
  value: string;
}

export type SimulatedAws = Awaited<ReturnType<typeof startSimulatedAws>>;

const region = "eu-central-1";
export const checkDomain = "shop.test";

/** An AWS account in which everything is right: the resources of cell AA, and a domain with all its DNS records. */
export async function startSimulatedAws() {
  process.env.AWS_ACCESS_KEY_ID ??= "simulator";
  process.env.AWS_SECRET_ACCESS_KEY ??= "simulator";
  const simulator = await startSesSimulator({ region, servesDns: true, outcomeAfterSeconds: 0.02, maxSendRate: 1_000 });
  const { url } = simulator;
  const client = { region, endpoint: url };
  const [ses, sns, sqs] = [new SESv2Client(client), new SNSClient(client), new SQSClient(client)];

  async function control(method: string, path: string, body?: unknown): Promise<void> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/_simulator/${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }

  /** Replaces all records of the DNS server. SES looks at them at once, unless its status was set by hand. */
  async function publish(records: DnsEntry[]): Promise<void> {
    await control("DELETE", "dns");
    await control("POST", "dns", { dns_records: records });
  }

  const steps = setUp({ cellCode: "AA", region, endpoints: { ses: url, sns: url, sqs: url }, pauseMs: 0 });
  let step = await steps.next();
  while (step.done !== true) step = await steps.next();
  const { topicArn, queueUrl } = step.value;
  const provider = createSesProvider({ region, endpoint: url, accountId: "000000000000", partition: "aws" });
  await provider.createIdentity(checkDomain, "postern-AA");
  await provider.setMailFrom(checkDomain, `bounce.${checkDomain}`);
  const { DkimAttributes } = await ses.send(new GetEmailIdentityCommand({ EmailIdentity: checkDomain }));
  const records = recordsFor(DkimAttributes?.Tokens ?? []);
  await publish(records);
  const environment: Environment = anEnvironment({
    ...simulatorSettings({ url, region }),
    AWS_FEEDBACK_TOPIC_ARN: topicArn,
    AWS_FEEDBACK_QUEUE_URL: queueUrl,
    DNS_SERVERS: simulator.dnsAddress ?? "",
  });
  return {
    url,
    topicArn,
    queueUrl,
    environment,
    records,
    ses,
    sns,
    sqs,
    provider,
    control,
    publish,
    /** Gives SES the answer of its next DNS check, whatever the records say. */
    setVerification: (status: string) => control("POST", `identities/${checkDomain}/verification`, { status }),
    deny: (
      operation: string,
      name = "AccessDeniedException",
      message = "User is not authorized to perform this action",
    ) => control("POST", "rules", { operation, fault: { kind: "error", name, message } }),
    async stop() {
      for (const each of [ses, sns, sqs]) each.destroy();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    },
  };
}

function recordsFor(tokens: string[]): DnsEntry[] {
  return [
    ...tokens.map((token): DnsEntry => {
      return { type: "CNAME", name: `${token}._domainkey.${checkDomain}`, value: `${token}.dkim.amazonses.com` };
    }),
    { type: "MX", name: `bounce.${checkDomain}`, value: `10 feedback-smtp.${region}.amazonses.com` },
    { type: "TXT", name: `bounce.${checkDomain}`, value: "v=spf1 include:amazonses.com ~all" },
    { type: "TXT", name: `_dmarc.${checkDomain}`, value: "v=DMARC1; p=none;" },
  ];
}
