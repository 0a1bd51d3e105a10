import type { Fault } from "../faults/fault.ts";
import type { ApiCall } from "../http/api-call.ts";
import { type Call, type Failure, json, type Reply } from "../http/call.ts";
import type { Simulation } from "../simulation.ts";
import {
  changeMessageVisibility,
  changeMessageVisibilityBatch,
  deleteMessage,
  deleteMessageBatch,
  receiveMessage,
  sendMessage,
} from "./message-operations.ts";
import {
  createQueue,
  deleteQueue,
  getQueueAttributes,
  getQueueUrl,
  listQueues,
  purgeQueue,
  setQueueAttributes,
} from "./queue-operations.ts";
import { SqsError } from "./sqs-error.ts";
import type { Json } from "./sqs-request.ts";

type Run = (simulation: Simulation, body: Json, fault?: Fault) => Json;

const operations: Record<string, Run> = {
  CreateQueue: createQueue,
  GetQueueUrl: getQueueUrl,
  ListQueues: listQueues,
  DeleteQueue: deleteQueue,
  PurgeQueue: purgeQueue,
  GetQueueAttributes: getQueueAttributes,
  SetQueueAttributes: setQueueAttributes,
  SendMessage: sendMessage,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
};

export function sqsCall(simulation: Simulation, call: Call): ApiCall | undefined {
  const target = call.headers["x-amz-target"];
  if (typeof target !== "string" || !target.startsWith("AmazonSQS.")) return undefined;
  const operation = target.slice("AmazonSQS.".length);
  const body = parseBody(call.body);
  return {
    service: "sqs",
    operation,
    body,
    needsSignature: true,
    refuse: (failure) => refuse(call, failure),
    async run({ fault }): Promise<Reply> {
      try {
        return answer(call, await run(simulation, { operation, body, call, fault }));
      } catch (error) {
        if (error instanceof SqsError)
          return refuse(call, { status: 400, name: error.name, message: error.message }, error.queryName);
        throw error;
      }
    },
  };
}

interface Operation {
  operation: string;
  body: Json;
  call: Call;
  fault: Fault | undefined;
}

async function run(simulation: Simulation, { operation, body, call, fault }: Operation): Promise<Json> {
  if (operation === "ReceiveMessage") return receiveMessage(simulation, body, call.closed(), fault);
  const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (known === undefined) throw new SqsError("UnsupportedOperation", `${operation} is not simulated.`);
  return known(simulation, body, fault);
}

function answer(call: Call, content: Json): Reply {
  return json(200, content, { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": call.requestId });
}

function refuse(call: Call, { status, name, message }: Failure, queryName = name): Reply {
  const fault = status < 500 ? "Sender" : "Receiver";
  return json(
    status,
    { __type: `com.amazonaws.sqs#${name}`, message },
    {
      "content-type": "application/x-amz-json-1.0",
      "x-amzn-requestid": call.requestId,
      "x-amzn-query-error": `${queryName};${fault}`,
    },
  );
}

function parseBody(body: Buffer): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
