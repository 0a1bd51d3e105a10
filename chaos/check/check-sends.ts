import type { SendEvents } from "../cell/chaos-cell.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { StoredSend } from "./stored-sends.ts";

export interface Evidence {
  acknowledged: Acknowledged[];
  sends: StoredSend[];
  ledger: Map<string, LedgerEntry[]>;
  sendEvents: SendEvents;
}

export interface SendFindings {
  acknowledged: number;
  recorded: number;
  mails: number;
  /** The sends that violate each rule, described; all lists must be empty. */
  violations: Record<string, string[]>;
  doubled: string[];
  /** Sends that failed with an unknown outcome, which the policy `fail` permits. */
  outcomeUnknown: string[];
}

/** Compares three independent lists: the client's, the database's and the provider's. */
export function checkSends({ acknowledged, sends, ledger, sendEvents }: Evidence): SendFindings {
  const recorded = new Map(sends.map((send) => [send.id, send]));
  const mailsOf = (id: string) => ledger.get(id) ?? [];
  const describe = (send: StoredSend) =>
    `${send.id} ${send.status}${send.queueState === null ? "" : ` (${send.queueState})`} ` +
    `attempts [${send.attempts.join(", ")}] ledger [${mailsOf(send.id)
      .map((mail) => `${mail.attempt} ${mail.acceptedAt}`)
      .join(", ")}]`;
  const all = (is: (send: StoredSend, mails: LedgerEntry[]) => boolean) =>
    sends.filter((send) => is(send, mailsOf(send.id))).map(describe);
  const isUnknown = ({ errorCode }: StoredSend) => errorCode === "PROVIDER_OUTCOME_UNKNOWN";
  return {
    acknowledged: acknowledged.length,
    recorded: sends.length,
    mails: [...ledger.values()].reduce((sum, mails) => sum + mails.length, 0),
    violations: {
      "acknowledged ids missing": acknowledged.filter(({ id }) => !recorded.has(id)).map(({ id }) => id),
      "keys that made two sends": keysWithTwo(acknowledged),
      "mails of unknown sends": [...ledger.keys()].filter((id) => !recorded.has(id)),
      stuck: all((send) => send.status === "queued" || send.queueState !== null),
      lost: all((send, mails) => mails.length === 0 && wasSent(send)),
      "failed unexpectedly": all((send) => send.status === "failed" && !isUnknown(send)),
      "message id of no mail in the ledger": all(
        (send, mails) => wasSent(send) && !mails.some(({ messageId }) => messageId === send.messageId),
      ),
      "status contradicts the provider's events":
        sendEvents === "none"
          ? []
          : all((send, mails) => wasSent(send) && !mails.some((mail) => mail.status === send.status)),
    },
    doubled: all((_, mails) => mails.length > 1),
    outcomeUnknown: all(isUnknown),
  };
}

function wasSent({ status }: StoredSend): boolean {
  return ["sent", "delivered", "bounced", "complained"].includes(status);
}

function keysWithTwo(acknowledged: Acknowledged[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const { key, id } of acknowledged) ids.set(key, (ids.get(key) ?? new Set()).add(id));
  return [...ids].filter(([, made]) => made.size > 1).map(([key]) => key);
}
