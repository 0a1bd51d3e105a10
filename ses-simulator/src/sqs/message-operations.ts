import { createHash } from "node:crypto";
import type { Fault } from "../faults/fault.ts";
import type { Simulation } from "../simulation.ts";
import { numberAttribute, type Queue } from "./queue.ts";
import type { ReceivedMessage } from "./queues.ts";
import { readReceiptHandle, receiptHandle } from "./receipt-handle.ts";
import { SqsError } from "./sqs-error.ts";
import { entriesIn, type Json, numberIn, requireQueue } from "./sqs-request.ts";

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
  given: AbortSignal,
  fault?: Fault,
): Promise<Json> {
  const queue = requireQueue(simulation, body);
  const count = numberIn(body, "MaxNumberOfMessages", 1, { min: 1, max: 10 });
  const wait = numberIn(body, "WaitTimeSeconds", numberAttribute(queue, "ReceiveMessageWaitTimeSeconds"), {
    min: 0,
    max: 20,
  });
  const hide = numberIn(body, "VisibilityTimeout", numberAttribute(queue, "VisibilityTimeout"), {
    min: 0,
    max: 43_200,
  });
  const messages = await takeOrWait(simulation, queue, { count, wait, hide }, given);
  if (messages.length === 0) return {};
  if (fault?.kind === "duplicate-receive") for (const { message } of messages) simulation.queues.showAgain(message);
  return { Messages: messages.map((received) => messageJson(received, body, fault)) };
}

export function deleteMessage(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const { messageId, receiveCount } = readReceiptHandle(body.ReceiptHandle);
  simulation.queues.delete(queue.name, messageId, receiveCount);
  return {};
}

/** A 200 that can hold failures: each entry succeeds or fails by itself. */
export function deleteMessageBatch(simulation: Simulation, body: Json, fault?: Fault): Json {
  const queue = requireQueue(simulation, body);
  return eachEntry(entriesIn(body), fault, (entry) => {
    const { messageId, receiveCount } = readReceiptHandle(entry.ReceiptHandle);
    simulation.queues.delete(queue.name, messageId, receiveCount);
  });
}

export function changeMessageVisibility(simulation: Simulation, body: Json): Json {
  const queue = requireQueue(simulation, body);
  const seconds = numberIn(body, "VisibilityTimeout", -1, { min: 0, max: 43_200 });
  simulation.queues.changeVisibility(queue.name, readReceiptHandle(body.ReceiptHandle).messageId, seconds);
  return {};
}

export function changeMessageVisibilityBatch(simulation: Simulation, body: Json, fault?: Fault): Json {
  const queue = requireQueue(simulation, body);
  return eachEntry(entriesIn(body), fault, (entry) => {
    const seconds = numberIn(entry, "VisibilityTimeout", -1, { min: 0, max: 43_200 });
    simulation.queues.changeVisibility(queue.name, readReceiptHandle(entry.ReceiptHandle).messageId, seconds);
  });
}

interface Taking {
  count: number;
  wait: number;
  hide: number;
}

/** A message may be gone again when the waiting wakes up, so it looks until the time is over. */
async function takeOrWait(
  simulation: Simulation,
  queue: Queue,
  taking: Taking,
  given: AbortSignal,
): Promise<ReceivedMessage[]> {
  const end = performance.now() + taking.wait * 1000;
  for (;;) {
    const messages = simulation.queues.take(queue, taking.count, taking.hide);
    const left = (end - performance.now()) / 1000;
    if (messages.length > 0 || left <= 0 || given.aborted) return messages;
    await simulation.queues.waitFor(queue.name, left, given);
    // The caller went away: a message taken for it now would be hidden for nothing.
    if (given.aborted) return [];
  }
}

function messageJson({ message, receipt }: ReceivedMessage, body: Json, fault: Fault | undefined): Json {
  const asked = [body.MessageSystemAttributeNames, body.AttributeNames]
    .flat()
    .filter((name) => typeof name === "string");
  const attributes = {
    SenderId: senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(receipt.count),
    ApproximateFirstReceiveTimestamp: String(receipt.firstAt),
  };
  const shown = Object.entries(attributes).filter(([name]) => asked.includes("All") || asked.includes(name));
  const wrongMd5 = createHash("md5").update(`not ${message.body}`).digest("hex");
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle(message.id, receipt.count),
    MD5OfBody: fault?.kind === "wrong-md5" ? wrongMd5 : message.md5,
    Body: message.body,
    ...(shown.length > 0 && { Attributes: Object.fromEntries(shown) }),
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
      const isOurs = error instanceof SqsError;
      const Message = error instanceof Error ? error.message : "";
      Failed.push({ Id: entry.Id, SenderFault: isOurs, Code: isOurs ? error.queryName : "InternalError", Message });
    }
  });
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}
