import type { SendEvents } from "../cell/chaos-cell.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { RecordedSend } from "./sends-of-record.ts";

export interface Evidence {
  acknowledged: Acknowledged[];
  sends: RecordedSend[];
  ledger: Map<string, LedgerEntry[]>;
  sendEvents: SendEvents;
}

export interface SendFindings {
  acknowledged: number;
  recorded: number;
  mails: number;
  /** Each a list of sends with what is known of them; all must be empty. */
  wrongs: Record<string, string[]>;
  doubled: string[];
  /** Failed because nobody knows, although the mail is out: what the policy `fail` accepts. */
  outcomeUnknown: string[];
}

/** Compares three lists that were kept by three processes: the client's, the database's and the provider's. */
export function checkSends({ acknowledged, sends, ledger, sendEvents }: Evidence): SendFindings {
  const recorded = new Map(sends.map((send) => [send.id, send]));
  const mailsOf = (id: string) => ledger.get(id) ?? [];
  const tell = (send: RecordedSend) =>
    `${send.id} ${send.status}${send.queueState === null ? "" : ` (${send.queueState})`} ` +
    `attempts [${send.attempts.join(", ")}] ledger [${mailsOf(send.id)
      .map((mail) => `${mail.attempt} ${mail.acceptedAt}`)
      .join(", ")}]`;
  const all = (is: (send: RecordedSend, mails: LedgerEntry[]) => boolean) =>
    sends.filter((send) => is(send, mailsOf(send.id))).map(tell);
  const isUnknown = ({ errorCode }: RecordedSend) => errorCode === "PROVIDER_OUTCOME_UNKNOWN";
  return {
    acknowledged: acknowledged.length,
    recorded: sends.length,
    mails: [...ledger.values()].reduce((sum, mails) => sum + mails.length, 0),
    wrongs: {
      "acknowledged ids missing": acknowledged.filter(({ id }) => !recorded.has(id)).map(({ id }) => id),
      "keys that made two sends": keysWithTwo(acknowledged),
      "mails of unknown sends": [...ledger.keys()].filter((id) => !recorded.has(id)),
      stuck: all((send) => send.status === "queued" || send.queueState !== null),
      lost: all((send, mails) => mails.length === 0 && wasSent(send)),
      "failed although it could go": all((send) => send.status === "failed" && !isUnknown(send)),
      "named after no mail of theirs": all(
        (send, mails) => wasSent(send) && !mails.some(({ messageId }) => messageId === send.messageId),
      ),
      "status against the provider's events":
        sendEvents === "none"
          ? []
          : all((send, mails) => wasSent(send) && !mails.some(({ ending }) => ending === send.status)),
    },
    doubled: all((_, mails) => mails.length > 1),
    outcomeUnknown: all(isUnknown),
  };
}

function wasSent({ status }: RecordedSend): boolean {
  return ["sent", "delivered", "bounced", "complained"].includes(status);
}

function keysWithTwo(acknowledged: Acknowledged[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const { key, id } of acknowledged) ids.set(key, (ids.get(key) ?? new Set()).add(id));
  return [...ids].filter(([, made]) => made.size > 1).map(([key]) => key);
}
