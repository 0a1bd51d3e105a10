import { describe, expect, test } from "vitest";
import { processProblems } from "./process-problems.ts";
import type { ProcessState } from "./process-state.ts";

function aProcess(overrides: Partial<ProcessState> = {}): ProcessState {
  return {
    id: "0",
    role: "worker",
    name: "mail-1/7",
    version: "0.1.0",
    startedSecondsAgo: 600,
    seenSecondsAgo: 2,
    condition: "alive",
    isReplaced: false,
    isOutdated: false,
    claimsFailingSeconds: null,
    choresFailingSeconds: null,
    liveClaimedSecondsAgo: null,
    testClaimedSecondsAgo: null,
    liveClaimableSeconds: null,
    testClaimableSeconds: null,
    ...overrides,
  };
}

const api = aProcess({ role: "api", name: "mail-1/8" });
const vanished = aProcess({ name: "mail-2/9", condition: "vanished", seenSecondsAgo: 25 });
const stopped = aProcess({ condition: "stopped", seenSecondsAgo: 25 });

const reported: [string, ProcessState[], RegExp[]][] = [
  ["an API without a worker", [api], [/^No worker is running, so no mail goes out\.$/]],
  [
    "a worker that stopped and did not return",
    [api, stopped],
    [/^No worker.* The worker mail-1\/7 stopped 25 s ago\.$/],
  ],
  [
    "the only worker vanished",
    [api, vanished],
    [/^No worker.*heartbeat 25 s ago/, /^The worker mail-2\/9 has crashed or is/],
  ],
  ["one of two workers vanished", [aProcess(), vanished], [/^The worker mail-2\/9 has crashed or is frozen/]],
  [
    "an API vanished",
    [aProcess(), { ...api, condition: "vanished", seenSecondsAgo: 30 }],
    [/^The API mail-1\/8 has crashed/],
  ],
  [
    "a crashed worker was replaced",
    [aProcess(), { ...vanished, isReplaced: true }],
    [/another process has replaced it/],
  ],
  [
    "claims fail",
    [aProcess({ claimsFailingSeconds: 12 })],
    [/^The claims of the worker mail-1\/7 have failed for 12 s/],
  ],
  [
    "the queue of chores fails",
    [aProcess({ choresFailingSeconds: 12 })],
    [/^The worker mail-1\/7 .*queue of chores for 12 s/],
  ],
  [
    "live mail that nobody claims",
    [aProcess({ liveClaimableSeconds: 22 })],
    [/^Live mail is ready .* claimed any for 22 s/],
  ],
  [
    "test mail that nobody claims any more",
    [aProcess({ testClaimableSeconds: 90, testClaimedSecondsAgo: 40 })],
    [/^Test mail is ready .* claimed any for 40 s/],
  ],
];

const normal: [string, ProcessState[]][] = [
  ["nothing has run yet", []],
  ["API and worker run", [api, aProcess()]],
  ["`postern serve` runs", [aProcess({ role: "serve" })]],
  ["an API has just started", [{ ...api, startedSecondsAgo: 5 }]],
  ["the only worker restarts", [api, { ...stopped, seenSecondsAgo: 12 }]],
  ["a crashed worker was replaced 6 minutes ago", [aProcess(), { ...vanished, isReplaced: true, seenSecondsAgo: 360 }]],
  ["a worker was removed 2 hours ago with SIGKILL", [aProcess(), { ...vanished, seenSecondsAgo: 7_200 }]],
  ["claims failed for a moment", [aProcess({ claimsFailingSeconds: 4 })]],
  ["a long queue at the rate of SES", [aProcess({ liveClaimableSeconds: 900, liveClaimedSecondsAgo: 3 })]],
  ["an idle worker got mail a moment ago", [aProcess({ liveClaimableSeconds: 1, liveClaimedSecondsAgo: 5_000 })]],
  ["another worker claims", [aProcess({ liveClaimableSeconds: 60 }), aProcess({ liveClaimedSecondsAgo: 4 })]],
  ["the state of a stopped worker is old", [aProcess(), aProcess({ condition: "stopped", claimsFailingSeconds: 90 })]],
];

describe("problems of processes", () => {
  test.for(reported)("%s is reported", ([, processes, expected]) => {
    expect(processProblems(processes, []).map(({ what }) => what)).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    );
  });

  test.for(normal)("%s: no problem", ([, processes]) => {
    expect(processProblems(processes, [])).toEqual([]);
  });

  test("a chore that fails for longer than a moment is reported by name", () => {
    const chores = [
      { name: "read-quota", failingSeconds: 70, isOverdue: false },
      { name: "fold-list-changes", failingSeconds: 3, isOverdue: false },
      { name: "make-partitions", failingSeconds: 7_200, isOverdue: true },
    ];
    expect(processProblems([aProcess()], chores)).toEqual([
      expect.objectContaining({ what: "The chore read-quota has failed for 1 min 10 s." }),
      expect.objectContaining({ what: "The chore make-partitions has not finished a run for 2 h 0 min." }),
    ]);
  });
});
