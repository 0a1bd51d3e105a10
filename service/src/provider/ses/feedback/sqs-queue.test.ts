import { randomUUID } from "node:crypto";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { anEndpoint } from "../../../../test/an-endpoint.ts";
import { aMail } from "../../../../test/email-provider-contract.ts";
import { useSesSimulator } from "../../../../test/use-ses-simulator.ts";
import { ProviderError } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { setUp } from "../setup/set-up.ts";
import { createSqsQueue } from "./sqs-queue.ts";

const simulator = useSesSimulator({ outcomeAfterSeconds: 0 });

afterEach(() => simulator.control("DELETE", "rules"));

const sqs = () => new SQSClient({ endpoint: simulator.url, region: simulator.region });

/** A queue that contains these texts. */
async function aQueue(...bodies: string[]) {
  const { QueueUrl = "" } = await sqs().send(new CreateQueueCommand({ QueueName: randomUUID() }));
  for (const MessageBody of bodies) await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody }));
  return open(QueueUrl);
}

function open(queueUrl: string, topicArns: string[] = []) {
  const { url: endpoint, region } = simulator;
  return { queueUrl, queue: createSqsQueue({ region, endpoint, queueUrl, topicArns }) };
}

async function received(queue: ReturnType<typeof createSqsQueue>, waitSeconds = 1) {
  const messages = await queue.receive({ waitSeconds });
  if (messages === "closed") throw new Error("the queue is closed");
  return messages;
}

async function remaining(QueueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await sqs().send(command);
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

test("the events of a mail arrive as feedback through the resources that set-up creates", async () => {
  const [cellCode, { url, region }] = ["fb", simulator];
  const steps = setUp({ cellCode, region, pauseMs: 0, endpoints: { ses: url, sns: url, sqs: url } });
  let step = await steps.next();
  while (step.done !== true) step = await steps.next();
  const { topicArn, queueUrl } = step.value;
  const { queue } = open(queueUrl, [topicArn]);
  const provider = createSesProvider({ region, endpoint: url, accountId: "000000000000", partition: "aws" });
  const mail = aMail({
    to: ["success@simulator.amazonses.com"],
    cc: ["bounce@simulator.amazonses.com"],
    configurationSetName: "postern-fb",
  });
  const result = await provider.submit(mail);
  if (result.kind !== "accepted") throw new Error(result.message);

  const about = { providerMessageId: result.providerMessageId, ...mail.tags };
  const feedback: unknown[] = [];
  while (feedback.length < 3) {
    const messages = await received(queue, 2);
    if (messages.length === 0) throw new Error(`only ${feedback.length} arrived`);
    feedback.push(...messages.map((message) => message.feedback));
    expect(await queue.delete(messages.map(({ receiptHandle }) => receiptHandle))).toEqual([]);
  }
  expect(feedback).toHaveLength(3);
  expect(feedback).toContainEqual(expect.objectContaining({ kind: "send", ...about }));
  expect(feedback).toContainEqual(
    expect.objectContaining({ kind: "delivery", ...about, recipients: ["success@simulator.amazonses.com"] }),
  );
  expect(feedback).toContainEqual(
    expect.objectContaining({
      kind: "bounce",
      ...about,
      recipients: ["bounce@simulator.amazonses.com"],
      bounce: { type: "Permanent", subtype: "General" },
      feedbackId: expect.any(String),
    }),
  );
  expect(await remaining(queueUrl)).toBe(0);
}, 20_000);

describe("receiving", () => {
  test("returns text, id and receive count, and returns a message again until it is deleted", async () => {
    await simulator.control("POST", "rules", { operation: "ReceiveMessage", fault: { kind: "duplicate-receive" } });
    const { queue } = await aQueue("odd");
    const [first, second] = [await received(queue), await received(queue)];
    expect(first).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        body: "odd",
        feedback: { kind: "unreadable", reason: "not a JSON object" },
        receiptHandle: expect.any(String),
        receiveCount: 1,
      },
    ]);
    expect(second).toMatchObject([{ id: first[0]?.id, receiveCount: 2 }]);
  });

  test("returns at most ten messages at a time", async () => {
    const { queue } = await aQueue(...Array.from({ length: 11 }, String));
    expect(await received(queue)).toHaveLength(10);
    expect(await received(queue)).toHaveLength(1);
  });

  test("hides a message from other consumers for the visibility timeout", async () => {
    const { queue, queueUrl } = await aQueue("one");
    const endpoint = await anEndpoint(() => ({ status: 200, body: "{}" }));
    await createSqsQueue({ region: "eu-west-1", endpoint: endpoint.url, queueUrl, topicArns: [] }).receive({
      waitSeconds: 0,
    });
    expect(JSON.parse(endpoint.lastBody())).toMatchObject({
      QueueUrl: queueUrl,
      VisibilityTimeout: queue.visibilityTimeoutSeconds,
    });
    await received(queue);
    expect(await received(open(queueUrl).queue, 0)).toEqual([]);
  });

  test("ends immediately on close, with `closed` instead of an empty answer", async () => {
    const { queue } = await aQueue();
    const waiting = queue.receive({ waitSeconds: 20 });
    const started = performance.now();
    setTimeout(() => queue.close(), 50);
    expect(await waiting).toBe("closed");
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await queue.receive({ waitSeconds: 0 })).toBe("closed");
  });

  test.for([
    [{ kind: "http-error", status: 503 }, "unavailable"],
    [{ kind: "wrong-md5" }, "unavailable"],
    [{ kind: "error", name: "AccessDeniedException" }, "denied"],
    [{ kind: "reset-before-accept" }, "unavailable"],
  ] as const)("throws on the fault %j, and the message stays in the queue", async ([fault, kind]) => {
    const { queue, queueUrl } = await aQueue("one");
    await simulator.control("POST", "rules", { times: 1, operation: "ReceiveMessage", fault });
    const failure = await queue.receive({ waitSeconds: 0 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ kind });
    expect(await remaining(queueUrl)).toBe(1);
  });

  test("sends requests to the configured endpoint, not to the host of the queue URL", async () => {
    const elsewhere = await anEndpoint(() => ({ status: 200, body: "{}" }));
    const { queueUrl } = await aQueue("one");
    const { pathname } = new URL(queueUrl);
    expect(await received(open(`${elsewhere.url}${pathname}`).queue)).toHaveLength(1);
    expect(elsewhere.requests()).toBe(0);
  });
});

describe("deleting", () => {
  test("works for more than ten messages, and for none", async () => {
    const { queue, queueUrl } = await aQueue(...Array.from({ length: 13 }, String));
    const messages = [...(await received(queue)), ...(await received(queue))];
    expect(await queue.delete(messages.map(({ receiptHandle }) => receiptHandle))).toEqual([]);
    expect(await queue.delete([])).toEqual([]);
    expect(await remaining(queueUrl)).toBe(0);
  });

  test("still works after close", async () => {
    const { queue, queueUrl } = await aQueue("one");
    const messages = await received(queue);
    queue.close();
    expect(await queue.delete(messages.map(({ receiptHandle }) => receiptHandle))).toEqual([]);
    expect(await remaining(queueUrl)).toBe(0);
  });

  test("returns the handles that a 200 reports as not deleted", async () => {
    const { queue, queueUrl } = await aQueue("a", "b", "c");
    const handles = (await received(queue)).map(({ receiptHandle }) => receiptHandle);
    await simulator.control("POST", "rules", {
      times: 1,
      operation: "DeleteMessageBatch",
      fault: { kind: "partial-failure" },
    });
    expect(await queue.delete(handles)).toEqual([handles[0], handles[2]]);
    expect(await remaining(queueUrl)).toBe(2);
  });

  test("returns a handle that the answer does not mention", async () => {
    const endpoint = await anEndpoint(() => ({ status: 200, body: `{"Successful":[{"Id":"1"}],"Failed":[]}` }));
    const queueUrl = `${endpoint.url}/000000000000/q`;
    const queue = createSqsQueue({ region: "eu-west-1", endpoint: endpoint.url, queueUrl, topicArns: [] });
    expect(await queue.delete(["a", "b", "c"])).toEqual(["a", "c"]);
  });

  test("throws when SQS does not answer", async () => {
    const queueUrl = "http://127.0.0.1:1/000000000000/q";
    const queue = createSqsQueue({ region: "eu-west-1", endpoint: "http://127.0.0.1:1", queueUrl, topicArns: [] });
    await expect(queue.delete(["a"])).rejects.toBeInstanceOf(ProviderError);
  });
});
