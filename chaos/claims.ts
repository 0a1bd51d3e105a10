import type { Claim } from "../scripts/evidence/result.ts";
import { sendPath } from "../scripts/evidence/send-path.ts";
import { points } from "./matrix/points.ts";
import { mutants } from "./mutants/mutants.ts";
import type { RunOptions } from "./scenarios/scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios/scenarios.ts";

/** The code that runs the load and compares the lists. */
const harness = [
  "chaos/cell",
  "chaos/check",
  "chaos/load",
  "chaos/report.ts",
  "chaos/scenarios/evaluate-run.ts",
  "chaos/scenarios/inject-faults.ts",
  "chaos/scenarios/under-load.ts",
  "ses-simulator/src",
];

export const fullFaultSeconds = 30;
export const fullTimes = 50;

function claimOf(name: ScenarioName): Claim {
  const { promise, covers } = scenarios[name];
  return {
    key: `chaos/${name}`,
    promise,
    command: `npm run chaos -- ${name}`,
    covers: [...covers, ...harness, `chaos/scenarios/${name}.ts`],
  };
}

/** Without Send events a send in doubt has no evidence, so the promise is a different one. */
function withoutEvents(sendEvents: "off" | "none", policy: RunOptions["policy"]): Claim {
  const { key, command, covers } = claimOf("worker-kills");
  const flags = ` --send-events ${sendEvents} --policy ${policy}`;
  const missing = sendEvents === "off" ? "Send events" : "any event";
  const promise = {
    resend: `without ${missing} a killed worker loses no send; a send in doubt is sent again, and only such a send is doubled`,
    fail: `without ${missing} a killed worker loses no send and doubles none; a send in doubt may fail with an unknown outcome`,
  };
  return { key: `${key}${flags}`, promise: promise[policy], command: `${command}${flags}`, covers };
}

export const scenarioClaims: Claim[] = [
  ...(Object.keys(scenarios) as ScenarioName[]).map(claimOf),
  withoutEvents("off", "resend"),
  withoutEvents("off", "fail"),
  withoutEvents("none", "resend"),
  withoutEvents("none", "fail"),
];

/** The claim that a run proves. Undefined for a run below full size, and for options that no claim has. */
export function findClaim(name: ScenarioName, options: RunOptions): Claim | undefined {
  const { defaults } = scenarios[name];
  const { sends, faults, faultSeconds, sendEvents, policy } = options;
  const isFull = sends >= defaults.sends && faults >= defaults.faults && faultSeconds >= fullFaultSeconds;
  const isUsual = sendEvents === "on" && policy === "resend";
  const key = `chaos/${name}${isUsual ? "" : ` --send-events ${sendEvents} --policy ${policy}`}`;
  return isFull ? scenarioClaims.find((claim) => claim.key === key) : undefined;
}

export const matrixClaim: Claim = {
  key: "chaos/matrix",
  promise: "a process killed at any crash point loses no send, doubles none, and leaves no work unfinished",
  command: "npm run chaos:matrix",
  covers: [
    ...sendPath,
    "chaos/arm",
    "chaos/cell",
    "chaos/check",
    "chaos/load",
    "chaos/matrix",
    "service/src/domains",
    "service/src/storage",
    "service/src/suppressions",
  ],
};

export function isFullMatrix(times: number, at: unknown[]): boolean {
  return times >= fullTimes && at.length === points.length;
}

export const mutantsClaim: Claim = {
  key: "check/mutants",
  promise: "The tests detect each safety rule that is removed from the source",
  command: "npm run mutants",
  covers: ["chaos/mutants", ...new Set(mutants.flatMap(({ file, tests }) => [file, ...tests]))],
};
