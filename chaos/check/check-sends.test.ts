import { expect, test } from "vitest";
import { checkSends, type Evidence } from "./check-sends.ts";
import { listInDoubtSends } from "./in-doubt-sends.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { StoredSend } from "./stored-sends.ts";

const acknowledged = { id: "s1", key: "k1", at: 1, api: 0, tookMs: 1 };
const send: StoredSend = {
  id: "s1",
  mode: "live",
  status: "delivered",
  messageId: "m1",
  errorCode: null,
  queueState: null,
  attempts: [],
};
const mail: LedgerEntry = { messageId: "m1", attempt: 1, acceptedAt: "2026-11-15T09:00:00Z", status: "delivered" };

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    acknowledged: [acknowledged],
    sends: [send],
    ledger: new Map([["s1", [mail]]]),
    sendEvents: "on",
    ...changes,
  };
}

function violationsOf(changes: Partial<Evidence>): string[] {
  const { violations, doubled } = checkSends(evidence(changes));
  return Object.entries({ ...violations, doubled }).flatMap(([what, list]) => (list.length > 0 ? [what] : []));
}

test("three lists that agree have no violations", () => {
  expect(violationsOf({})).toEqual([]);
});

const failed = { ...send, status: "failed", messageId: null, errorCode: "PROVIDER_UNAVAILABLE" };
const wrongStates: [string, Partial<Evidence>, string[]][] = [
  [
    "an acknowledged id that the database does not have",
    { sends: [], ledger: new Map() },
    ["acknowledged ids missing"],
  ],
  [
    "two ids for one key",
    { acknowledged: [acknowledged, { ...acknowledged, id: "s2" }], sends: [send] },
    ["acknowledged ids missing", "keys that made two sends"],
  ],
  [
    "a mail of a send that the database does not have",
    {
      ledger: new Map([
        ["s1", [mail]],
        ["s9", [mail]],
      ]),
    },
    ["mails of unknown sends"],
  ],
  ["a send still in the queue", { sends: [{ ...send, status: "queued", queueState: "in-doubt" }] }, ["stuck"]],
  ["a queued send that is not in the queue", { sends: [{ ...send, status: "queued" }] }, ["stuck"]],
  [
    "a delivered send that was never submitted",
    { ledger: new Map() },
    ["lost", "message id of no mail in the ledger", "status contradicts the provider's events"],
  ],
  ["a send that failed without a known reason", { sends: [failed], ledger: new Map() }, ["failed unexpectedly"]],
  [
    "a send with a wrong message id",
    { sends: [{ ...send, messageId: "m9" }] },
    ["message id of no mail in the ledger"],
  ],
  [
    "a status that contradicts the events",
    { sends: [{ ...send, status: "bounced" }] },
    ["status contradicts the provider's events"],
  ],
  [
    "a mail that went out twice",
    { ledger: new Map([["s1", [mail, { ...mail, messageId: "m2", attempt: 2 }]]]) },
    ["doubled"],
  ],
];

test.for(wrongStates)("%s is found", ([, changes, expected]) => {
  expect(violationsOf(changes)).toEqual(expected);
});

const inDoubt: [string, Partial<StoredSend>, number][] = [
  ["confirmed by the provider's events", { attempts: ["1 accepted"] }, 1],
  ["submitted again, the first attempt had not been accepted", { attempts: ["1 unknown", "2 accepted"] }, 1],
  ["submitted again, the first attempt had been accepted: doubled", { attempts: ["1 accepted", "2 accepted"] }, 2],
  [
    "failed by policy, had been accepted",
    { ...failed, errorCode: "PROVIDER_OUTCOME_UNKNOWN", attempts: ["1 unknown"] },
    1,
  ],
  [
    "failed by policy, had not been accepted",
    { ...failed, errorCode: "PROVIDER_OUTCOME_UNKNOWN", attempts: ["1 unknown"] },
    0,
  ],
  ["unresolved", { status: "queued", queueState: "in-doubt", attempts: ["1 unknown"] }, 1],
];

test.for(inDoubt)("a send in doubt is listed as: %s", ([resolution, changes, mails]) => {
  const ledger = new Map([["s1", Array.from({ length: mails }, () => mail)]]);
  expect(listInDoubtSends([{ ...send, ...changes }], ledger)).toMatchObject([{ resolution }]);
  expect(listInDoubtSends([send], ledger)).toEqual([]);
  expect(listInDoubtSends([{ ...send, attempts: ["1 try-later", "2 accepted"] }], ledger)).toEqual([]);
});
