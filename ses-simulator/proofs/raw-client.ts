import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** The simulator checks the format and the service of a signature and does not verify it. */
export function signature(service: "ses" | "sns" | "sqs"): Record<string, string> {
  const credential = `simulator/20261115/eu-west-1/${service}/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${"0".repeat(64)}`,
    "x-amz-date": "20261115T000000Z",
  };
}

/** One HTTP request without the SDK. Rejects if a kill of the simulator interrupts it. */
export function call(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export async function ses(port: number, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  return JSON.parse(await call(port, method, `/v2/email${path}`, signature("ses"), JSON.stringify(body)));
}

export async function sns(port: number, form: Record<string, string>): Promise<string> {
  const headers = { ...signature("sns"), "content-type": "application/x-www-form-urlencoded" };
  return call(port, "POST", "/", headers, new URLSearchParams(form).toString());
}

export async function sqs(port: number, operation: string, body: object): Promise<Record<string, unknown>> {
  const headers = { ...signature("sqs"), "x-amz-target": `AmazonSQS.${operation}` };
  return JSON.parse(await call(port, "POST", "/", headers, JSON.stringify(body)));
}

const policyFor = (Service: string, Action: string) =>
  JSON.stringify({ Statement: [{ Effect: "Allow", Principal: { Service }, Action, Resource: "*" }] });

/** Creates and connects a configuration set, a topic and a queue with the same name. */
export async function createFeedbackPath(port: number, name: string, isRaw = false): Promise<void> {
  const account = "eu-west-1:000000000000";
  const topic = `arn:aws:sns:${account}:${name}`;
  await sns(port, {
    Action: "CreateTopic",
    Name: name,
    "Attributes.entry.1.key": "Policy",
    "Attributes.entry.1.value": policyFor("ses.amazonaws.com", "sns:Publish"),
  });
  await sqs(port, "CreateQueue", {
    QueueName: name,
    Attributes: { Policy: policyFor("sns.amazonaws.com", "sqs:SendMessage") },
  });
  await sns(port, {
    Action: "Subscribe",
    TopicArn: topic,
    Protocol: "sqs",
    Endpoint: `arn:aws:sqs:${account}:${name}`,
    "Attributes.entry.1.key": "RawMessageDelivery",
    "Attributes.entry.1.value": String(isRaw),
  });
  await ses(port, "POST", "/configuration-sets", { ConfigurationSetName: name });
  const EventDestination = {
    Enabled: true,
    MatchingEventTypes: ["SEND", "DELIVERY"],
    SnsDestination: { TopicArn: topic },
  };
  await ses(port, "POST", `/configuration-sets/${name}/event-destinations`, {
    EventDestinationName: name,
    EventDestination,
  });
}

/** About 2 KB, the mail size of the engine comparison. */
export function aMail(sendId: string, changes: object = {}): object {
  return {
    FromEmailAddress: "Shop <orders@shop.test>",
    Destination: { ToAddresses: ["customer@example.test"] },
    EmailTags: [{ Name: "send_id", Value: sendId }],
    Content: {
      Simple: {
        Subject: { Data: "Your order", Charset: "UTF-8" },
        Body: { Html: { Data: `<p>${"It is on its way. ".repeat(90)}</p>`, Charset: "UTF-8" } },
      },
    },
    ...changes,
  };
}
