import type { Mode } from "../mode.ts";
import { durationText } from "../plain-text.ts";
import type { FailingChore } from "./chore-state.ts";
import type { Problem } from "./problem.ts";
import type { ProcessState } from "./process-state.ts";
import { freshSeconds } from "./process-store.ts";

/** Shorter failures are interruptions, such as a restart of the database. */
const longFailingSeconds = 10;
/** With heartbeats every 5 s, a send that no worker claims is reported within 30 s. */
const longUnclaimedSeconds = 20;
/** The operator sees that a process crashed, although the supervisor has replaced it. */
const replacedForgottenSeconds = 300;
/** A scale-down by SIGKILL looks like a crash and must not be reported forever. A missing last worker is always reported. */
const forgottenSeconds = 3600;

const runbook = "mail-is-not-going-out";

export function processProblems(processes: ProcessState[], failingChores: FailingChore[]): Problem[] {
  const alive = processes.filter(({ condition }) => condition === "alive");
  return [
    ...missingWorker(processes),
    ...processes.filter(isMissed).map(vanishedProcess),
    ...alive.filter(({ isOutdated }) => isOutdated).map(outdatedProcess),
    ...alive.filter(({ claimsFailingSeconds }) => isLong(claimsFailingSeconds)).map(failingClaims),
    ...(["live", "test"] as const).flatMap((mode) => unclaimedMail(processes, mode)),
    ...alive.filter(({ choresFailingSeconds }) => isLong(choresFailingSeconds)).map(failingChoreQueue),
    ...failingChores.filter(({ failingSeconds }) => isLong(failingSeconds)).map(failingChore),
  ];
}

export function isWorker({ role }: ProcessState): boolean {
  return role !== "api";
}

/** A process that ended without an orderly stop, until it is forgotten. */
export function isMissed({ condition, seenSecondsAgo, isReplaced }: ProcessState): boolean {
  return condition === "vanished" && seenSecondsAgo < (isReplaced ? replacedForgottenSeconds : forgottenSeconds);
}

export function isLong(failingSeconds: number | null): boolean {
  return (failingSeconds ?? 0) >= longFailingSeconds;
}

/** The time for which sends could be claimed and none was; undefined when a worker claims them or there are none. */
export function unclaimedSeconds(processes: ProcessState[], mode: Mode): number | undefined {
  const claimableSeconds = processes
    .filter((each) => each.condition === "alive" && isWorker(each))
    .map((each) => (mode === "live" ? each.liveClaimableSeconds : each.testClaimableSeconds) ?? 0);
  const seconds = Math.min(Math.max(0, ...claimableSeconds), claimedSecondsAgo(processes, mode) ?? Infinity);
  return seconds < longUnclaimedSeconds ? undefined : seconds;
}

/** Since the last claim of any worker that took a send. */
export function claimedSecondsAgo(processes: ProcessState[], mode: Mode): number | undefined {
  const known = processes
    .map((each) => (mode === "live" ? each.liveClaimedSecondsAgo : each.testClaimedSecondsAgo))
    .filter((seconds) => seconds !== null);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** A restart takes some seconds. A database on which nothing has run yet expects no worker. */
function missingWorker(processes: ProcessState[]): Problem[] {
  const workers = processes.filter(isWorker);
  if (workers.some(({ condition }) => condition === "alive")) return [];
  const last = workers.toSorted((one, other) => one.seenSecondsAgo - other.seenSecondsAgo)[0];
  const isExpected =
    last === undefined
      ? processes.some(({ condition, startedSecondsAgo }) => condition === "alive" && startedSecondsAgo > freshSeconds)
      : last.seenSecondsAgo > freshSeconds;
  if (!isExpected) return [];
  const ending = last?.condition === "stopped" ? "stopped" : "sent its last heartbeat";
  const history = last === undefined ? "" : ` ${labelOf(last)} ${ending} ${durationText(last.seenSecondsAgo)} ago.`;
  return [
    {
      what: `No worker is running, so no mail goes out.${history}`,
      advice: "Start `postern worker`. If it does not start, its log and its error output have the reason.",
      runbook,
      stopsMail: true,
    },
  ];
}

function vanishedProcess(process: ProcessState): Problem {
  return {
    what:
      `${labelOf(process)} has crashed or is frozen: its last heartbeat was ${durationText(process.seenSecondsAgo)} ago` +
      `${process.isReplaced ? ", and another process has replaced it" : ""}.`,
    advice:
      "Check the process and its machine. This message ends 5 minutes after the last heartbeat if the process was replaced, " +
      "otherwise after an hour.",
    runbook,
  };
}

function outdatedProcess(process: ProcessState): Problem {
  return {
    what: `${labelOf(process)} runs a version (${process.version}) that is too old for the schema.`,
    advice: 'Upgrade or stop it. See docs/upgrades.md, "Contract".',
    runbook,
  };
}

function failingClaims(process: ProcessState): Problem {
  return {
    what: `The claims of ${labelOf(process, "the")} have failed for ${durationText(process.claimsFailingSeconds ?? 0)}.`,
    advice: "Its log has the reason: `delivery.claim-failed`.",
    runbook,
  };
}

function unclaimedMail(processes: ProcessState[], mode: Mode): Problem[] {
  const seconds = unclaimedSeconds(processes, mode);
  if (seconds === undefined) return [];
  return [
    {
      what:
        `${mode === "live" ? "Live" : "Test"} mail is ready and neither on hold nor limited by the rate, but no worker has ` +
        `claimed any for ${durationText(seconds)}.`,
      advice:
        "Check the log of the workers for `delivery.claim-failed` and `delivery.attempted`: all slots may wait for SES. " +
        "A worker without AWS settings claims only test mail.",
      runbook,
      stopsMail: true,
    },
  ];
}

function failingChoreQueue(process: ProcessState): Problem {
  return {
    what: `${labelOf(process)} has not been able to read the queue of chores for ${durationText(process.choresFailingSeconds ?? 0)}.`,
    advice: "Its log has the reason: `chores.error`.",
    runbook,
  };
}

function failingChore({ name, failingSeconds, isOverdue }: FailingChore): Problem {
  if (isOverdue) {
    return {
      what: `The chore ${name} has not finished a run for ${durationText(failingSeconds)}.`,
      advice: "It hangs or is not started. Restart the workers one after the other.",
      runbook,
    };
  }
  return {
    what: `The chore ${name} has failed for ${durationText(failingSeconds)}.`,
    advice: "The log of the workers has the reason: `chore.failed`.",
    runbook,
  };
}

function labelOf({ role, name }: ProcessState, article: "The" | "the" = "The"): string {
  return `${article} ${role === "api" ? "API" : role} ${name}`;
}
