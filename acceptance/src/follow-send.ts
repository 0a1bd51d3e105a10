import type { Account, Mode } from "./account.ts";
import type { Answer } from "./client.ts";
import { eventsOf } from "./list-all.ts";
import { until } from "./until.ts";

interface Mail {
  to: string[];
  [field: string]: unknown;
}

export interface Followed {
  payload: Mail;
  answer: Answer;
  /** The body of the 202. */
  accepted: Answer["body"];
  /** What the status endpoint told, by status in the order it was first seen. */
  seen: Map<string, Answer["body"]>;
  /** The last record read. */
  record: Answer["body"];
  events: Answer["body"][];
}

/** Sends a mail and looks at its status again and again until it is one of these. */
export async function follow(
  account: Account,
  mode: Mode,
  payload: Mail,
  finals: string[],
  patienceSeconds = 20,
  credential?: Record<string, string>,
): Promise<Followed> {
  const answer = await account.send(mode, payload, credential);
  if (answer.status !== 202) throw new Error(`a send was answered ${answer.status} ${answer.text.slice(0, 300)}`);
  const seen: Followed["seen"] = new Map();
  const look = async () => {
    const { body } = await account.status(mode, answer.body?.id);
    if (!seen.has(body?.status)) seen.set(body?.status, body);
    return body;
  };
  const record = await until(look, (body) => finals.includes(body?.status), patienceSeconds);
  return { payload, answer, accepted: answer.body, seen, record, events: await eventsAbout(account, mode, record) };
}

/** The first report decides the status, and those about other recipients follow. A failed send has none. */
async function eventsAbout(account: Account, mode: Mode, record: Answer["body"]): Promise<Answer["body"][]> {
  const recipients: string[] = record?.status === "failed" ? [] : (record?.to_addresses ?? []);
  const isTold = (events: Answer["body"][]) =>
    recipients.every((address) => events.some(({ recipient }) => recipient === address));
  return until(() => eventsOf(account, record?.id, mode), isTold, 10);
}
