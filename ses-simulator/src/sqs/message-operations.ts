import { createHash } from "node:crypto";
import type { Fault } from "../faults/fault.ts";
import type { Simulation } from "../simulation.ts";
import { numberAttribute, type Queue } from "./queue.ts";
import type { ReceivedMessage } from "./queues.ts";
import { readReceiptHandle, receiptHandle } from "./receipt-handle.ts";
import { SqsError } from "./sqs-error.ts";
import { type Json, readNumber, requireEntries, requireQueue } from "./sqs-request.ts";

const senderId = "AIDASIMULATOR";

export function sendMessage(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const text = body.MessageBody;
  if (typeof text !== "string" || text === "")
    throw new SqsError("InvalidParameterValue", "The request must contain the parameter MessageBody.");
  if (Buffer.byteLength(text) > numberAttribute(queue, "MaximumMessageSize")) {
    throw new SqsError("InvalidParameterValue", "One or more parameters are invalid. Reason: Message must be shorter.");
  }
  const message = simulation.queues.add(queue.name, text);
  return { MessageId: message.id, MD5OfMessageBody: message.md5 };
}

export async function receiveMessage(
  simulation: Simulation,
  body: Json,
  signal: AbortSignal,
  fault?: Fault,
): Promise<Json> {
  const queue = requireQueue(simulation, body);
  const count = readNumber(body, "MaxNumberOfMessages", 1, { min: 1, max: 10 });
  const waitSeconds = readNumber(body, "WaitTimeSeconds", numberAttribute(queue, "ReceiveMessageWaitTimeSeconds"), {
    min: 0,
    max: 20,
  });
  const visibilitySeconds = readNumber(body, "VisibilityTimeout", numberAttribute(queue, "VisibilityTimeout"), {
    min: 0,
    max: 43_200,
  });
  const messages = await receiveOrWait(simulation, queue, { count, waitSeconds, visibilitySeconds }, signal);
  if (messages.length === 0) return {};
  if (fault?.kind === "duplicate-receive") for (const { message } of messages) simulation.queues.makeVisible(message);
  return { Messages: messages.map((received) => messageJson(received, body, fault)) };
}

export function deleteMessage(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const { messageId, receiveCount } = readReceiptHandle(body.ReceiptHandle);
  simulation.queues.delete(queue.name, messageId, receiveCount);
  return {};
}

/** Answers 200 even if entries fail: SQS reports the result of each entry separately. */
export function deleteMessageBatch(simulation: Simulation, body: Json, fault?: Fault): Json {
  const queue = requireQueue(simulation, body);
  return eachEntry(requireEntries(body), fault, (entry) => {
    const { messageId, receiveCount } = readReceiptHandle(entry.ReceiptHandle);
    simulation.queues.delete(queue.name, messageId, receiveCount);
  });
}

export function changeMessageVisibility(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const seconds = readNumber(body, "VisibilityTimeout", -1, { min: 0, max: 43_200 });
  simulation.queues.changeVisibility(queue.name, readReceiptHandle(body.ReceiptHandle).messageId, seconds);
  return {};
}

export function changeMessageVisibilityBatch(simulation: Simulation, body: Json, fault?: Fault): Json {
  const queue = requireQueue(simulation, body);
  return eachEntry(requireEntries(body), fault, (entry) => {
    const seconds = readNumber(entry, "VisibilityTimeout", -1, { min: 0, max: 43_200 });
    simulation.queues.changeVisibility(queue.name, readReceiptHandle(entry.ReceiptHandle).messageId, seconds);
  });
}

interface ReceiveOptions {
  count: number;
  waitSeconds: number;
  visibilitySeconds: number;
}

/** Repeats until the time ends, because another receiver may take the message first. */
async function receiveOrWait(
  simulation: Simulation,
  queue: Queue,
  { count, waitSeconds, visibilitySeconds }: ReceiveOptions,
  signal: AbortSignal,
): Promise<ReceivedMessage[]> {
  const end = performance.now() + waitSeconds * 1000;
  for (;;) {
    const messages = simulation.queues.receive(queue, count, visibilitySeconds);
    const remainingSeconds = (end - performance.now()) / 1000;
    if (messages.length > 0 || remainingSeconds <= 0 || signal.aborted) return messages;
    await simulation.queues.waitForMessage(queue.name, remainingSeconds, signal);
    // The caller has disconnected: a received message would stay invisible although nobody processes it.
    if (signal.aborted) return [];
  }
}

function messageJson({ message, receipt }: ReceivedMessage, body: Json, fault: Fault | undefined): Json {
  const requested = [body.MessageSystemAttributeNames, body.AttributeNames]
    .flat()
    .filter((name) => typeof name === "string");
  const attributes = {
    SenderId: senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(receipt.count),
    ApproximateFirstReceiveTimestamp: String(receipt.firstAt),
  };
  const selected = Object.entries(attributes).filter(([name]) => requested.includes("All") || requested.includes(name));
  const wrongMd5 = createHash("md5").update(`not ${message.body}`).digest("hex");
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle(message.id, receipt.count),
    MD5OfBody: fault?.kind === "wrong-md5" ? wrongMd5 : message.md5,
    Body: message.body,
    ...(selected.length > 0 && { Attributes: Object.fromEntries(selected) }),
  };
}

function eachEntry(entries: (Json & { Id: string })[], fault: Fault | undefined, act: (entry: Json) => void): Json {
  const Successful: Json[] = [];
  const Failed: Json[] = [];
  entries.forEach((entry, index) => {
    try {
      if (fault?.kind === "partial-failure" && index % 2 === 0) throw new Error("We encountered an internal error.");
      act(entry);
      Successful.push({ Id: entry.Id });
    } catch (error) {
      const isSenderFault = error instanceof SqsError;
      const Message = error instanceof Error ? error.message : "";
      Failed.push({
        Id: entry.Id,
        SenderFault: isSenderFault,
        Code: isSenderFault ? error.queryName : "InternalError",
        Message,
      });
    }
  });
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}
