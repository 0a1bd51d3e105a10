import type { Simulation } from "../simulation.ts";
import { type Queue, requireAttributes } from "./queue.ts";
import { SqsError } from "./sqs-error.ts";
import { type Json, readStringMap, requireQueue, requireQueueName, urlOf } from "./sqs-request.ts";

export function createQueue(simulation: Simulation, body: Json): Json {
  const name = requireQueueName(body);
  const attributes = readStringMap(body.Attributes);
  requireAttributes(attributes);
  const known = simulation.queues.find(name);
  if (known !== undefined && Object.entries(attributes).some(([key, value]) => known.attributes[key] !== value)) {
    throw new SqsError(
      "QueueNameExists",
      "A queue already exists with the same name and a different value for an attribute.",
    );
  }
  if (known === undefined) {
    const { region, accountId } = simulation.settings;
    const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
    simulation.queues.save({ name, arn, createdAt: simulation.clock.now(), attributes });
  }
  return { QueueUrl: urlOf(simulation, name) };
}

export function getQueueUrl(simulation: Simulation, body: Json): Json {
  const queue = simulation.queues.find(requireQueueName(body));
  if (queue === undefined) throw new SqsError("QueueDoesNotExist", "The specified queue does not exist.");
  return { QueueUrl: urlOf(simulation, queue.name) };
}

export function listQueues(simulation: Simulation, body: Json): Json {
  const prefix = typeof body.QueueNamePrefix === "string" ? body.QueueNamePrefix : "";
  const names = simulation.queues
    .list()
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefix));
  return names.length === 0 ? {} : { QueueUrls: names.map((name) => urlOf(simulation, name)) };
}

export function deleteQueue(simulation: Simulation, body: Json): Json {
  simulation.queues.remove(requireQueue(simulation, body).name);
  return {};
}

export function purgeQueue(simulation: Simulation, body: Json): Json {
  simulation.queues.purge(requireQueue(simulation, body).name);
  return {};
}

export function getQueueAttributes(simulation: Simulation, body: Json): Json {
  const all = attributesOf(simulation, requireQueue(simulation, body));
  const requested = Array.isArray(body.AttributeNames) ? body.AttributeNames : [];
  const selected = requested.includes("All")
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => requested.includes(name)));
  return Object.keys(selected).length === 0 ? {} : { Attributes: selected };
}

export function setQueueAttributes(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const attributes = readStringMap(body.Attributes);
  requireAttributes(attributes);
  simulation.queues.save({ ...queue, attributes: { ...queue.attributes, ...attributes } });
  return {};
}

function attributesOf(simulation: Simulation, queue: Queue): Record<string, string> {
  const { ready, inFlight } = simulation.queues.counts(queue.name);
  return {
    VisibilityTimeout: "30",
    MessageRetentionPeriod: "345600",
    ReceiveMessageWaitTimeSeconds: "0",
    DelaySeconds: "0",
    MaximumMessageSize: "1048576",
    ...queue.attributes,
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    ApproximateNumberOfMessages: String(ready),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: "0",
  };
}
