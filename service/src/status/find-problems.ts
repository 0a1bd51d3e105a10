import type { LastFailover } from "../in-doubt/last-failover.ts";
import { amountText, countText, durationText } from "../plain-text.ts";
import type { Hold } from "../provider/email-provider.ts";
import { endingOf, type HeldSnapshot, isHeldTooLong } from "../storage/held-snapshots.ts";
import type { CellState } from "./cell-state.ts";
import type { Readiness } from "./readiness.ts";
import type { SendingState } from "./sending-state.ts";

/** Something that will not come right by itself, or that an operator would want to know at once. */
export interface Problem {
  what: string;
  advice: string;
}

/** A paced queue may be long; that even the next one waits for minutes is worth a look. */
const longReadySeconds = 300;
const longInDoubtSeconds = 3_600;
/** The rate is read each minute. */
const longUnreadSeconds = 900;

/** The sandbox takes all test mail and needs nobody's feedback, so of test mail only the queue can be in problem. */
export function findProblems(cell: CellState): Problem[] {
  const { checks, sending, quarantine, heldAccounts, heldSnapshots, lastFailover } = cell;
  const live = sending.filter(({ mode }) => mode === "live");
  const unreadable = quarantine.find(({ reason }) => reason === "unreadable")?.fresh ?? 0;
  return [
    ...storageProblems(checks),
    ...heldSnapshots.filter((snapshot) => isHeldTooLong(snapshot)).map(snapshotProblem),
    ...failoverProblems(lastFailover),
    ...live.flatMap(holdProblems),
    ...sending.flatMap(queueProblems),
    ...live.flatMap((state) => [...paceProblems(state), ...feedbackProblems(state)]),
    ...heldAccounts.map(({ id, name, heldSeconds, note }) => ({
      what: `The account ${name} is held by the operator for ${durationText(heldSeconds)}${noteText(note)}.`,
      advice: `\`postern admin release --account ${id}\` lets its mail go on.`,
    })),
    ...(unreadable === 0
      ? []
      : [
          {
            what: `${amountText(unreadable, "notification")} of the last day could not be read.`,
            advice: "`postern admin quarantine list`, then `show ID`.",
          },
        ]),
  ];
}

function storageProblems({ database, schema, partitions }: Readiness["checks"]): Problem[] {
  if (database === "unreachable") {
    return [{ what: "PostgreSQL cannot be reached.", advice: "Check the server and DATABASE_URL." }];
  }
  if (typeof schema === "object") {
    const what = `The schema lacks ${schema.missing.join(", ")}.`;
    return [{ what, advice: "Run `postern migrate`." }];
  }
  if (schema !== "ok") {
    return [{ what: "The schema cannot be read.", advice: "Run `postern migrate`; check the rights of the role." }];
  }
  if (typeof partitions !== "object") return [];
  if ("missing" in partitions) {
    const what = `There is no partition for now of ${partitions.missing.join(", ")}.`;
    return [{ what, advice: "Run `postern migrate`." }];
  }
  return partitions.degraded.map((detail) => ({ what: `Partitions: ${detail}.`, advice: "See docs/storage.md." }));
}

function snapshotProblem(snapshot: HeldSnapshot): Problem {
  const { holder, name, pid, heldSeconds, transactions } = snapshot;
  const who = {
    session: `A transaction of ${name === "" ? "a session" : name} (pid ${pid})`,
    "prepared-transaction": `The prepared transaction ${name}`,
    replication: `The standby or slot ${name}`,
  }[holder];
  const since = heldSeconds === null ? `${countText(transactions)} transactions` : durationText(heldSeconds);
  const ending = endingOf(snapshot);
  return {
    what: `${who} has kept PostgreSQL from cleaning up for ${since}, which makes claims slower and tables grow.`,
    advice: `${ending === undefined ? "Mend or drop it" : `Let it end, or run \`${ending}\``}; docs/runbook.md, a held snapshot.`,
  };
}

/** Until every send that it put in doubt is out of it. */
function failoverProblems(change: LastFailover | null): Problem[] {
  if (change === null || !(change.isSweeping || change.inDoubt > 0)) return [];
  const { noticedSecondsAgo, markedInDoubt, inDoubt, isSweeping } = change;
  const left = isSweeping
    ? "sends of before are being put in doubt"
    : `${inDoubt} of ${markedInDoubt} sends of before are in doubt`;
  return [
    {
      what: `The database is another copy since ${durationText(noticedSecondsAgo)}, after a failover or restore: ${left}.`,
      advice: "Doubt ends by itself. `postern admin failover show` tells more; docs/runbook.md, after a restore.",
    },
  ];
}

const holds: Record<Hold, Problem> = {
  quota: {
    what: "The daily quota of SES is used up",
    advice: "Mail goes on by itself when SES takes it again. For more: AWS console, SES, Account dashboard.",
  },
  paused: {
    what: "SES has paused the sending of this AWS account or configuration set",
    advice: "`postern aws doctor` tells which; AWS console, SES, Reputation metrics, tells why.",
  },
  suspended: {
    what: "SES has suspended the AWS account",
    advice: "Answer the message of AWS in its support center; mail goes on by itself afterwards.",
  },
  operator: {
    what: "SES refuses our credentials, our permissions or the configuration set",
    advice: "`postern aws doctor` tells what is missing; restart the workers if you change their environment.",
  },
};

function holdProblems({ hold, operatorHold }: SendingState): Problem[] {
  return [
    ...(operatorHold === null
      ? []
      : [
          {
            what: `All mail is held by the operator for ${durationText(operatorHold.heldSeconds)}${noteText(operatorHold.note)}.`,
            advice: "`postern admin release` lets it go on.",
          },
        ]),
    ...(hold === null
      ? []
      : [{ ...holds[hold.reason], what: `${holds[hold.reason].what}, for ${durationText(hold.heldSeconds)}.` }]),
  ];
}

function noteText(note: string | null): string {
  return note === null ? "" : ` ("${note}")`;
}

function queueProblems({ mode, queue, hold, operatorHold }: SendingState): Problem[] {
  const send = mode === "live" ? "A send" : "A test send";
  const readySeconds = queue.ready.oldestSeconds ?? 0;
  const doubtSeconds = queue["in-doubt"].oldestSeconds ?? 0;
  const isHeld = hold !== null || operatorHold !== null;
  return [
    ...(isHeld || readySeconds < longReadySeconds
      ? []
      : [
          {
            what: `${send} is ready and has not been handed over since it was accepted ${durationText(readySeconds)} ago.`,
            advice: "Is a worker running? Otherwise more is accepted than the pace allows; it will go out later.",
          },
        ]),
    ...(doubtSeconds < longInDoubtSeconds
      ? []
      : [
          {
            what: `${send} has been in doubt for ${durationText(doubtSeconds)}.`,
            advice: "A worker resolves it after IN_DOUBT_MAX_SECONDS; is one running?",
          },
        ]),
  ];
}

function paceProblems({ pace, queue }: SendingState): Problem[] {
  const advice = "Is a worker running, and may it call ses:GetAccount? `postern aws doctor` tells.";
  if (pace.maxPerSecond === null) {
    const what = "The rate that SES allows is not known yet, so mail goes at one a second.";
    return queue.ready.sends === 0 ? [] : [{ what, advice }];
  }
  const readSecondsAgo = pace.readSecondsAgo ?? 0;
  if (readSecondsAgo < longUnreadSeconds) return [];
  return [{ what: `The rate that SES allows was last read ${durationText(readSecondsAgo)} ago.`, advice }];
}

function feedbackProblems({ feedback }: SendingState): Problem[] {
  switch (feedback.silence) {
    case null:
      return [];
    case "not-told":
      return [
        {
          what: "SES tells nothing of mail that was handed over: deliveries, bounces and complaints are not learnt of.",
          advice: "`postern aws doctor` looks at topic, queue and configuration set.",
        },
      ];
    case "not-polled": {
      const what = `The queue of events was last read ${durationText(feedback.polledSecondsAgo ?? 0)} ago.`;
      return [{ what, advice: "Is a worker running? Its log says `feedback.receive-failed` and why." }];
    }
  }
}
