import { expect, test } from "vitest";
import { checkSends, type Evidence } from "./check-sends.ts";
import { listDoubts } from "./doubts.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { RecordedSend } from "./sends-of-record.ts";

const acknowledged = { id: "s1", key: "k1", at: 1, api: 0 };
const send: RecordedSend = {
  id: "s1",
  mode: "live",
  status: "delivered",
  messageId: "m1",
  errorCode: null,
  queueState: null,
  attempts: [],
};
const mail: LedgerEntry = { messageId: "m1", attempt: 1, acceptedAt: "2026-11-15T09:00:00Z", ending: "delivered" };

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    acknowledged: [acknowledged],
    sends: [send],
    ledger: new Map([["s1", [mail]]]),
    sendEvents: "on",
    ...changes,
  };
}

function wrongsOf(changes: Partial<Evidence>): string[] {
  const { wrongs, doubled } = checkSends(evidence(changes));
  return Object.entries({ ...wrongs, doubled }).flatMap(([what, list]) => (list.length > 0 ? [what] : []));
}

test("three lists that agree have nothing wrong", () => {
  expect(wrongsOf({})).toEqual([]);
});

const failed = { ...send, status: "failed", messageId: null, errorCode: "PROVIDER_UNAVAILABLE" };
const planted: [string, Partial<Evidence>, string[]][] = [
  ["an id the database does not have", { sends: [], ledger: new Map() }, ["acknowledged ids missing"]],
  [
    "two ids for one key",
    { acknowledged: [acknowledged, { ...acknowledged, id: "s2" }], sends: [send] },
    ["acknowledged ids missing", "keys that made two sends"],
  ],
  [
    "a mail of a send nobody knows",
    {
      ledger: new Map([
        ["s1", [mail]],
        ["s9", [mail]],
      ]),
    },
    ["mails of unknown sends"],
  ],
  ["a send still in the queue", { sends: [{ ...send, status: "queued", queueState: "in-doubt" }] }, ["stuck"]],
  ["a send that fell out of the queue", { sends: [{ ...send, status: "queued" }] }, ["stuck"]],
  [
    "a send that is called delivered and was never handed over",
    { ledger: new Map() },
    ["lost", "named after no mail of theirs", "status against the provider's events"],
  ],
  ["a send failed for no reason", { sends: [failed], ledger: new Map() }, ["failed although it could go"]],
  ["a send under a wrong id", { sends: [{ ...send, messageId: "m9" }] }, ["named after no mail of theirs"]],
  [
    "a status that the events do not give",
    { sends: [{ ...send, status: "bounced" }] },
    ["status against the provider's events"],
  ],
  [
    "a mail that is out twice",
    { ledger: new Map([["s1", [mail, { ...mail, messageId: "m2", attempt: 2 }]]]) },
    ["doubled"],
  ],
];

test.for(planted)("%s is found", ([, changes, expected]) => {
  expect(wrongsOf(changes)).toEqual(expected);
});

const doubts: [string, Partial<RecordedSend>, number][] = [
  ["confirmed by the provider's events", { attempts: ["1 accepted"] }, 1],
  ["handed over again, had not left", { attempts: ["1 unknown", "2 accepted"] }, 1],
  ["handed over again, had left: doubled", { attempts: ["1 accepted", "2 accepted"] }, 2],
  ["failed by policy, had left", { ...failed, errorCode: "PROVIDER_OUTCOME_UNKNOWN", attempts: ["1 unknown"] }, 1],
  ["failed by policy, had not left", { ...failed, errorCode: "PROVIDER_OUTCOME_UNKNOWN", attempts: ["1 unknown"] }, 0],
  ["unresolved", { status: "queued", queueState: "in-doubt", attempts: ["1 unknown"] }, 1],
];

test.for(doubts)("a send in doubt: %s", ([resolution, changes, mails]) => {
  const ledger = new Map([["s1", Array.from({ length: mails }, () => mail)]]);
  expect(listDoubts([{ ...send, ...changes }], ledger)).toMatchObject([{ resolution }]);
  expect(listDoubts([send], ledger)).toEqual([]);
  expect(listDoubts([{ ...send, attempts: ["1 try-later", "2 accepted"] }], ledger)).toEqual([]);
});
