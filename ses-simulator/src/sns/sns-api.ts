import type { ApiCall } from "../http/api-call.ts";
import type { Call, Failure, Reply } from "../http/call.ts";
import type { Simulation } from "../simulation.ts";
import { SnsError } from "./sns-error.ts";
import type { SnsRequest } from "./sns-request.ts";
import {
  confirmSubscription,
  getSubscriptionAttributes,
  listSubscriptions,
  setSubscriptionAttributes,
  subscribe,
  unsubscribe,
} from "./subscription-operations.ts";
import {
  createTopic,
  deleteTopic,
  getTopicAttributes,
  listTopics,
  publish,
  setTopicAttributes,
} from "./topic-operations.ts";
import { toXml, type Xml } from "./xml.ts";

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";

const operations: Record<string, (simulation: Simulation, request: SnsRequest) => Xml | Promise<Xml>> = {
  CreateTopic: createTopic,
  DeleteTopic: deleteTopic,
  ListTopics: listTopics,
  GetTopicAttributes: getTopicAttributes,
  SetTopicAttributes: setTopicAttributes,
  Publish: publish,
  Subscribe: subscribe,
  ConfirmSubscription: confirmSubscription,
  Unsubscribe: unsubscribe,
  ListSubscriptions: listSubscriptions,
  ListSubscriptionsByTopic: listSubscriptions,
  GetSubscriptionAttributes: getSubscriptionAttributes,
  SetSubscriptionAttributes: setSubscriptionAttributes,
};

/** The actions that a link in a message can run without a signature. */
const linkActions = ["ConfirmSubscription", "Unsubscribe"];

export function snsCall(simulation: Simulation, call: Call): ApiCall | undefined {
  const isForm = call.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const form = call.method === "POST" && isForm ? new URLSearchParams(call.body.toString()) : call.query;
  const action = form.get("Action");
  if (call.path !== "/" || action === null) return undefined;
  const isLink = call.method === "GET" && linkActions.includes(action);
  return {
    service: "sns",
    operation: action,
    body: Object.fromEntries(form),
    needsSignature: !isLink,
    refuse: (failure) => refuse(call, failure),
    async run(): Promise<Reply> {
      try {
        const operation = Object.hasOwn(operations, action) ? operations[action] : undefined;
        if (operation === undefined) throw new SnsError("InvalidAction", `The action ${action} is not simulated.`);
        const result = await operation(simulation, { form, isSigned: !isLink });
        const metadata = { ResponseMetadata: { RequestId: call.requestId } };
        return xml(
          call,
          200,
          `<${action}Response xmlns="${namespace}">${toXml({ [`${action}Result`]: result, ...metadata })}</${action}Response>`,
        );
      } catch (error) {
        if (error instanceof SnsError)
          return refuse(call, { status: error.status, name: error.code, message: error.message });
        throw error;
      }
    },
  };
}

function refuse(call: Call, { status, name, message }: Failure): Reply {
  const error = {
    Error: { Type: status < 500 ? "Sender" : "Receiver", Code: name, Message: message },
    RequestId: call.requestId,
  };
  return xml(call, status, `<ErrorResponse xmlns="${namespace}">${toXml(error)}</ErrorResponse>`);
}

function xml(call: Call, status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/xml", "x-amzn-requestid": call.requestId }, body };
}
