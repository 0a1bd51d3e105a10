import { expect, test } from "vitest";
import { aWeekOf } from "../../test/size-samples.ts";
import { unknownFeedbackState } from "../feedback/feedback-gap.ts";
import type { ReputationFinding } from "../provider/email-provider.ts";
import type { CellState } from "./cell-state.ts";
import { growthOf } from "./database-growth.ts";
import { findProblems } from "./find-problems.ts";
import { noInterruptedMoves } from "./interrupted-moves.ts";
import type { ReputationState } from "./reputation.ts";
import type { SendingState } from "./sending-state.ts";

const none = { sends: 0, oldestSeconds: null };

function aCell({ live = {}, ...rest }: Partial<CellState> & { live?: Partial<SendingState> } = {}): CellState {
  const withoutProblems: SendingState = {
    mode: "live",
    queue: { ready: none, waiting: none, leased: none, "in-doubt": none, parked: none },
    hold: null,
    operatorHold: null,
    rate: { maxPerSecond: 14, readSecondsAgo: 20 },
    daily: { max: null, used: null },
    reputation: aReputation(),
    feedback: { ...unknownFeedbackState, lastReportSecondsAgo: 3, polledSecondsAgo: 3 },
  };
  const checks = { database: "ok", schema: "ok", partitions: "ok" } as const;
  const sending = [{ ...withoutProblems, ...live }];
  return {
    isReady: true,
    checks,
    sending,
    quarantine: [],
    heldAccounts: [],
    deniedDomains: { domains: [], total: 0 },
    guardedAccounts: { held: [], warned: [] },
    partitions: [],
    recordRetention: { retentionDays: null, droppedBefore: null, olderSends: 0 },
    heldSnapshots: [],
    lastFailover: null,
    processes: [],
    failingChores: [],
    interruptedMoves: noInterruptedMoves,
    databaseGrowth: growthOf([], null),
    ...rest,
  };
}

const aFailover = {
  cause: "server",
  noticedAt: "2026-11-15T07:00:00.000Z",
  noticedSecondsAgo: 720,
  before: "1/00000001/5",
  after: "1/00000002/5",
  markedInDoubt: 0,
  inDoubt: 0,
  isSweeping: false,
} as const;

const aSnapshot = { holder: "session", name: "psql", pid: 4711, heldSeconds: 720, transactions: 9 } as const;

const aDeniedDomain = {
  domainName: "shop.test",
  code: "AccessDeniedException",
  identityArn: "arn:aws:ses:eu-west-1:000000000000:identity/shop.test",
  configurationSetName: "postern-AA",
  deniedSeconds: 720,
};

const aFinding = { kind: "BOUNCE", impact: "HIGH", resource: "arn:x" } as const;

const aMove = { id: "17", name: "Acme", otherUrl: "https://b.test", seconds: 720 };

const old = { sends: 7, oldestSeconds: 4_000 };
const queue = aCell().sending[0]?.queue ?? raise();
const ok = aCell().checks;

const problems: [string, CellState, RegExp][] = [
  ["no database", aCell({ checks: { ...ok, database: "unreachable", schema: "unknown" }, sending: [] }), /^PostgreSQL/],
  ["an old schema", aCell({ checks: { ...ok, schema: { missing: ["0009_x"] } } }), /lacks 0009_x/],
  [
    "no partitions",
    aCell({ checks: { ...ok, partitions: { missing: ["sends"], run: "postern migrate" } } }),
    /no partition for the current time in sends/,
  ],
  ["few partitions", aCell({ checks: { ...ok, partitions: { degraded: ["sends end soon"] } } }), /sends end soon/],
  [
    "a transaction that was left open",
    aCell({ heldSnapshots: [aSnapshot] }),
    /^A transaction of psql \(pid 4711\).*for 12 min/,
  ],
  [
    "a prepared transaction",
    aCell({ heldSnapshots: [{ ...aSnapshot, holder: "prepared-transaction", name: "t1", pid: null }] }),
    /^The prepared transaction t1 /,
  ],
  [
    "a standby that holds a snapshot",
    aCell({ heldSnapshots: [{ ...aSnapshot, holder: "replication", heldSeconds: null, transactions: 2_000_000 }] }),
    /^The standby or slot psql .* 2,000,000 transactions/,
  ],
  [
    "a disk that is full in 14 days",
    aCell({ databaseGrowth: growthOf(aWeekOf({ from: 60e9, perDay: 2e9 }), 102e9) }),
    /^The disk of the database is full in 13 days: the database has 76 GB of 102 GB and grows by 2 GB a day\.$/,
  ],
  [
    "a disk that is full although its growth is not known",
    aCell({ databaseGrowth: growthOf([{ ageSeconds: 60, bytes: 5e9 }], 5e9) }),
    /^The disk of the database is full by DATABASE_DISK_GB: the database has 5 GB of 5 GB\.$/,
  ],
  [
    "a hold by the provider",
    aCell({ live: { hold: { reason: "quota", heldSeconds: 720, probeInSeconds: 9 } } }),
    /daily SES quota.*12 min/,
  ],
  [
    "a denied domain",
    aCell({ deniedDomains: { domains: [aDeniedDomain], total: 1 } }),
    /^SES has denied mail from shop.test for 12 min \(AccessDeniedException\)/,
  ],
  [
    "a hold by the operator, which does not also report the old queue",
    aCell({ live: { operatorHold: { heldSeconds: 61, note: "why" }, queue: { ...queue, ready: old } } }),
    /^The operator put all mail on hold 1 min 1 s ago \("why"\)/,
  ],
  [
    "a failover whose sends are in doubt",
    aCell({ lastFailover: { ...aFailover, markedInDoubt: 7, inDoubt: 2 } }),
    /detected 12 min ago.*2 of 7 sends/,
  ],
  [
    "a failover whose sends are not all marked yet",
    aCell({ lastFailover: { ...aFailover, isSweeping: true } }),
    /marking the sends .* as in doubt/,
  ],
  [
    "a hold because of the credentials, or because their source does not answer",
    aCell({ live: { hold: { reason: "operator", heldSeconds: 61, probeInSeconds: 5 } } }),
    /^SES refuses the credentials, .* or the source of the credentials does not answer\. Mail .* for 1 min 1 s/,
  ],
  [
    "ready sends that no worker submits",
    aCell({ live: { queue: { ...queue, ready: old } } }),
    /accepted 1 h 6 min ago/,
  ],
  ["sends long in doubt", aCell({ live: { queue: { ...queue, "in-doubt": old } } }), /in doubt for 1 h 6 min/],
  [
    "an unknown rate while mail is ready",
    aCell({
      live: {
        rate: { maxPerSecond: null, readSecondsAgo: null },
        queue: { ...queue, ready: { sends: 1, oldestSeconds: 1 } },
      },
    }),
    /rate .* not known/,
  ],
  ["a rate read long ago", aCell({ live: { rate: { maxPerSecond: 14, readSecondsAgo: 7_200 } } }), /2 h 0 min ago/],
  [
    "an AWS account under review",
    aCell({ live: { reputation: aReputation("PROBATION") } }),
    /^SES has put the AWS account under review \(PROBATION, read 20 s ago\)/,
  ],
  [
    "an AWS account that SES shut down",
    aCell({ live: { reputation: aReputation("SHUTDOWN") } }),
    /^SES has stopped all sending of the AWS account/,
  ],
  [
    "a status that SES added later",
    aCell({ live: { reputation: aReputation("LIMITED") } }),
    /^SES reports the status LIMITED .*which Postern does not know/,
  ],
  [
    "reputation findings, of which three are shown",
    aCell({ live: { reputation: aReputation("HEALTHY", Array(4).fill(aFinding)) } }),
    /^SES reports 4 reputation findings, read 12 min ago: BOUNCE \(high impact\) of arn:x; .*; and 1 more\.$/,
  ],
  ["missing reports", aCell({ live: { feedback: aFeedbackGap("no-reports") } }), /reports no events/],
  [
    "a queue that is not polled",
    aCell({ live: { feedback: aFeedbackGap("not-polled") } }),
    /last polled .* 33 min ago/,
  ],
  [
    "dead letters",
    aCell({ live: { feedback: { ...unknownFeedbackState, deadLetters: 3 } } }),
    /^3 events of SES are in the dead-letter queue/,
  ],
  [
    "a held account",
    aCell({ heldAccounts: [{ id: "1", name: "Acme", note: null, heldSeconds: 5 }] }),
    /account Acme on hold/,
  ],
  [
    "a move that was interrupted",
    aCell({ interruptedMoves: { moves: [{ ...aMove, kind: "stopped" }], total: 1 } }),
    /^The move of the account Acme to https:\/\/b\.test was interrupted 12 min ago: this cell sends nothing of the account\.$/,
  ],
  [
    "a copy that was not deleted after an undone move",
    aCell({ interruptedMoves: { moves: [{ ...aMove, kind: "undone" }], total: 1 } }),
    /Acme from https:\/\/b\.test was undone 12 min ago/,
  ],
  [
    "reports that wait for the cell of the account",
    aCell({ interruptedMoves: { moves: [{ ...aMove, kind: "late-reports" }], total: 1 } }),
    /^Reports of SES for the account Acme, which has moved to https:\/\/b\.test, have waited for 12 min\.$/,
  ],
  [
    "notifications that cannot be parsed",
    aCell({ quarantine: [{ reason: "unreadable", entries: 9, fresh: 2 }] }),
    /^2 notifications/,
  ],
];

test.for(problems)("%s: one problem is reported, with advice", ([, cell, what]) => {
  expect(findProblems(cell)).toEqual([
    expect.objectContaining({ what: expect.stringMatching(what), advice: expect.stringMatching(/\w/) }),
  ]);
});

test("no problem is reported for an idle cell, a new cell, old quarantine entries or young snapshots", () => {
  const unknown = { rate: { maxPerSecond: null, readSecondsAgo: null } };
  const quarantine = [{ reason: "unreadable" as const, entries: 9, fresh: 0 }];
  const heldSnapshots = [
    { ...aSnapshot, heldSeconds: 299, transactions: 2_000_000 },
    { ...aSnapshot, heldSeconds: null },
  ];
  const reputation = { ...aReputation(), enforcementStatus: null, findings: null, findingCount: null };
  const unread = aCell({ live: { reputation } });
  const growing = aCell({ databaseGrowth: growthOf(aWeekOf({ from: 60e9, perDay: 2e9 }), 106e9) });
  for (const cell of [
    growing,
    aCell(),
    aCell({ live: unknown }),
    aCell({ quarantine }),
    aCell({ heldSnapshots }),
    unread,
  ]) {
    expect(findProblems(cell)).toEqual([]);
  }
});

test("for test mail only problems of the queue are reported", () => {
  const rate = { maxPerSecond: 14, readSecondsAgo: 7_200 };
  const cell = aCell({
    live: { mode: "test", queue: { ...queue, ready: old }, rate, feedback: aFeedbackGap("no-reports") },
  });
  expect(findProblems(cell)).toMatchObject([{ what: expect.stringMatching(/^A test send is ready/) }]);
});

function aReputation(enforcementStatus = "HEALTHY", findings: ReputationFinding[] = []): ReputationState {
  const findingCount = findings.length;
  return { enforcementStatus, readSecondsAgo: 20, findings, findingCount, findingsReadSecondsAgo: 720 };
}

function aFeedbackGap(gap: "no-reports" | "not-polled") {
  return { ...unknownFeedbackState, lastReportSecondsAgo: 2_000, polledSecondsAgo: 2_000, gap, gapSeconds: 100 };
}

function raise(): never {
  throw new Error("the cell has no live mail");
}
