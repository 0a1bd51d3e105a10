import type { Finding, Proof } from "../../scripts/proof.ts";
import { startSimulatedAws } from "../test/simulated-aws.ts";
import type { Fault } from "./aws-check/fault.ts";
import { faults } from "./aws-check/faults.ts";
import { type CheckRun, type Reported, runCommand, runInProcess } from "./aws-check/run-check.ts";

/** Long enough for a busy machine: a correct set-up must never fail for lack of time. */
const patientMs = 60_000;
const correctRuns = { small: 1, full: 10 };
/** Some runs wait for events that never arrive. */
const runsAtOnce = 3;

/**
 * Each run has a simulated AWS account of its own, so no fault can hide behind another. The size is the number of runs: each fault once, the
 * others on a correct set-up.
 */
export const proof: Proof = {
  promise:
    "`postern aws check` names every injected misconfiguration of AWS and DNS with its fix, and finds none in a correct set-up",
  covers: [
    "service/proofs/aws-check",
    "service/src/cli/aws-advice.ts",
    "service/src/cli/aws-check",
    "service/src/provider/ses/check",
    "service/src/provider/ses/setup",
    "service/test/simulated-aws.ts",
    "ses-simulator/src",
  ],
  size: { small: faults.length + correctRuns.small, full: faults.length + correctRuns.full },
  run: async (size, { progress }) => {
    const correct = size - faults.length;
    const problems: string[] = [];
    for (let count = 0; count < correct; count++) {
      problems.push(...(await falseFindings(count === 0)));
      progress(`correct set-up ${count + 1}`);
    }
    const left = [...faults];
    let named = 0;
    const runFaults = async () => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        const missed = await missedBy(fault);
        if (missed.length === 0) named++;
        problems.push(...missed);
        progress(fault.name);
      }
    };
    await Promise.all(Array.from({ length: runsAtOnce }, runFaults));
    problems.push(...controlProblems());
    return finding({ named, of: faults.length, correct, problems });
  },
};

/** The first run is the command itself, with its exit code and JSON. */
async function falseFindings(isCommand: boolean): Promise<string[]> {
  const aws = await startSimulatedAws();
  try {
    const { findings, exitCode } = await (isCommand ? runCommand : runInProcess)(aws.environment, patientMs);
    const wrong = findings.filter(({ state }) => state !== "ok");
    const problems = wrong.map(({ check, what }) => `false finding ${check}: ${what}`);
    return exitCode === 0 && findings.length > 0 ? problems : [...problems, `a correct set-up ends with ${exitCode}`];
  } finally {
    await aws.stop();
  }
}

async function missedBy(fault: Fault): Promise<string[]> {
  const aws = await startSimulatedAws();
  try {
    await fault.inject(aws);
    const run = fault.needsProcess === true ? runCommand : runInProcess;
    const result = await run({ ...aws.environment, ...fault.settings }, fault.timeoutMs ?? patientMs);
    return evaluate(fault, result);
  } finally {
    await aws.stop();
  }
}

/** The fault is named with its fix, no other problem is, and the exit code says whether there is one. */
function evaluate(fault: Fault, { findings, exitCode }: CheckRun): string[] {
  const { name, check, fix, state = "problem", consequences = [] } = fault;
  const isNamed = (each: Reported) => each.check === check && each.state === state && fix.test(each.fix ?? "");
  const others = findings.filter((each) => each.state === "problem" && ![check, ...consequences].includes(each.check));
  return [
    ...(findings.some(isNamed) ? [] : [`${name}: not named, but ${summary(findings)}`]),
    ...others.map((each) => `${name}: also finds ${each.check}: ${each.what}`),
    ...(exitCode === (state === "problem" ? 1 : 0) ? [] : [`${name}: ends with ${exitCode}`]),
  ];
}

function summary(findings: Reported[]): string {
  const named = findings.filter(({ state }) => state !== "ok");
  return named.length === 0 ? "nothing" : named.map(({ check, fix }) => `${check} (${fix})`).join("; ");
}

/** The evaluation must reject a report without the fault, one with a wrong fix, and one with a second problem. */
function controlProblems(): string[] {
  const fault: Fault = { name: "control", inject: async () => undefined, check: "queue.policy", fix: /setup/ };
  const right: Reported = { check: "queue.policy", state: "problem", what: "", fix: "run setup" };
  const runs: [run: CheckRun, isGood: boolean][] = [
    [{ findings: [right], exitCode: 1 }, true],
    [{ findings: [], exitCode: 1 }, false],
    [{ findings: [{ ...right, fix: "wait" }], exitCode: 1 }, false],
    [{ findings: [right, { ...right, check: "topic" }], exitCode: 1 }, false],
    [{ findings: [right], exitCode: 0 }, false],
  ];
  return runs.flatMap(([run, isGood], index) =>
    (evaluate(fault, run).length === 0) === isGood ? [] : [`control ${index} is not recognised`],
  );
}

function finding(result: { named: number; of: number; correct: number; problems: string[] }): Finding {
  const { named, of, correct, problems } = result;
  const falseOnes = problems.filter((text) => text.startsWith("false finding")).length;
  const lines = [
    `${named} of ${of} injected misconfigurations named with their fix and without another problem`,
    `${falseOnes} false findings in ${correct} ${correct === 1 ? "run" : "runs"} on a correct set-up`,
    ...problems.slice(0, 10),
  ];
  return { figure: lines.join("; "), holds: problems.length === 0 };
}
