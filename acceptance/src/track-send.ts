import type { Account, Mode } from "./account.ts";
import type { Answer } from "./client.ts";
import { eventsOf } from "./list-all.ts";
import { until } from "./until.ts";

interface Mail {
  to: string[];
  [field: string]: unknown;
}

export interface TrackedSend {
  payload: Mail;
  answer: Answer;
  /** The body of the 202. */
  accepted: Answer["body"];
  /** The first status record for each status, in the order in which the statuses appeared. */
  seen: Map<string, Answer["body"]>;
  /** The last status record. */
  record: Answer["body"];
  events: Answer["body"][];
}

/** Sends a mail and polls its status until it is one of `finalStatuses` or the timeout ends. */
export async function trackSend(
  account: Account,
  mode: Mode,
  payload: Mail,
  finalStatuses: string[],
  timeoutSeconds = 20,
  credential?: Record<string, string>,
): Promise<TrackedSend> {
  return followSend(
    account,
    mode,
    payload,
    await account.send(mode, payload, credential),
    finalStatuses,
    timeoutSeconds,
  );
}

/** Polls the status of a send that the API has answered. */
export async function followSend(
  account: Account,
  mode: Mode,
  payload: Mail,
  answer: Answer,
  finalStatuses: string[],
  timeoutSeconds = 20,
): Promise<TrackedSend> {
  if (answer.status !== 202)
    throw new Error(`the API answered a send with ${answer.status} ${answer.text.slice(0, 300)}`);
  const seen: TrackedSend["seen"] = new Map();
  const readStatus = async () => {
    const { body } = await account.status(mode, answer.body?.id);
    if (!seen.has(body?.status)) seen.set(body?.status, body);
    return body;
  };
  const record = await until(readStatus, (body) => finalStatuses.includes(body?.status), timeoutSeconds);
  return { payload, answer, accepted: answer.body, seen, record, events: await waitForEvents(account, record) };
}

/** The first event sets the status; events for other recipients follow. A failed send has no events. */
async function waitForEvents(account: Account, record: Answer["body"]): Promise<Answer["body"][]> {
  const recipients: string[] = record?.status === "failed" ? [] : (record?.to_addresses ?? []);
  const isComplete = (events: Answer["body"][]) =>
    recipients.every((address) => events.some(({ recipient }) => recipient === address));
  return until(() => eventsOf(account, record?.id), isComplete, 10);
}
