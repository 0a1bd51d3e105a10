import { amountText, durationText } from "../plain-text.ts";
import type { Hold } from "../provider/email-provider.ts";
import { noteText, type Problem } from "./problem.ts";
import type { SendingState } from "./sending-state.ts";

/** A long queue is normal when SES limits the rate; a long wait of its first send is not. */
const longReadySeconds = 300;
const longInDoubtSeconds = 3_600;
/** A worker reads the rate every minute. */
const longUnreadSeconds = 900;

const holds: Record<Hold, Problem> = {
  quota: {
    what: "The daily SES quota is used up",
    advice: "Workers resume when SES accepts mail again. To raise the quota: AWS console, SES, Account dashboard.",
  },
  paused: {
    what: "SES has paused sending for this AWS account or configuration set",
    advice: "`postern aws doctor` shows which one. AWS console, SES, Reputation metrics shows the reason.",
  },
  suspended: {
    what: "SES has suspended the AWS account",
    advice: "Answer the message in the AWS support center. Workers resume when AWS lifts the suspension.",
  },
  operator: {
    what: "SES refuses the credentials, the permissions or the configuration set, or the source of the credentials does not answer",
    advice: "`postern aws doctor` shows what is missing. Restart the workers if you change their environment.",
  },
};

export function holdProblems({ hold, operatorHold }: SendingState): Problem[] {
  return [
    ...(operatorHold === null
      ? []
      : [
          {
            what: `The operator put all mail on hold ${durationText(operatorHold.heldSeconds)} ago${noteText(operatorHold.note)}.`,
            advice: "To resume: `postern admin release`",
            runbook: "mail-is-not-going-out" as const,
            stopsMail: true as const,
          },
        ]),
    ...(hold === null
      ? []
      : [
          {
            what: `${holds[hold.reason].what}. Mail has been on hold for ${durationText(hold.heldSeconds)}.`,
            advice: holds[hold.reason].advice,
            runbook: "ses-paused-or-the-quota-used-up" as const,
            stopsMail: true as const,
          },
        ]),
  ];
}

export function queueProblems({ mode, queue, hold, operatorHold }: SendingState): Problem[] {
  const send = mode === "live" ? "A send" : "A test send";
  const readySeconds = queue.ready.oldestSeconds ?? 0;
  const inDoubtSeconds = queue["in-doubt"].oldestSeconds ?? 0;
  const isOnHold = hold !== null || operatorHold !== null;
  return [
    ...(isOnHold || readySeconds < longReadySeconds
      ? []
      : [
          {
            what: `${send} is ready but not submitted, although it was accepted ${durationText(readySeconds)} ago.`,
            advice:
              "Check that a worker is running. If one is, more mail is accepted than the rate allows; it goes out later.",
            runbook: "mail-is-not-going-out" as const,
            stopsMail: true as const,
          },
        ]),
    ...(inDoubtSeconds < longInDoubtSeconds
      ? []
      : [
          {
            what: `${send} has been in doubt for ${durationText(inDoubtSeconds)}.`,
            advice: "Check that a worker is running: it resolves the send after IN_DOUBT_MAX_SECONDS.",
            runbook: "stuck-in-processing" as const,
          },
        ]),
  ];
}

export function rateProblems({ rate, queue }: SendingState): Problem[] {
  const runbook = "mail-is-not-going-out";
  const advice = "Check that a worker is running. `postern aws doctor` checks that it may call ses:GetAccount.";
  if (rate.maxPerSecond === null) {
    const what = "The rate that SES allows is not known yet, so workers send to one recipient a second.";
    return queue.ready.sends === 0 ? [] : [{ what, advice, runbook }];
  }
  const readSecondsAgo = rate.readSecondsAgo ?? 0;
  if (readSecondsAgo < longUnreadSeconds) return [];
  return [{ what: `The rate that SES allows was last read ${durationText(readSecondsAgo)} ago.`, advice, runbook }];
}

export function feedbackProblems(state: SendingState): Problem[] {
  return [...gapProblems(state), ...deadLetterProblems(state)];
}

function deadLetterProblems({ feedback: { deadLetters } }: SendingState): Problem[] {
  if (deadLetters === null || deadLetters === 0) return [];
  return [
    {
      what: `${amountText(deadLetters, "event")} of SES ${deadLetters === 1 ? "is" : "are"} in the dead-letter queue, so their outcomes are not recorded.`,
      advice: 'Fix the cause, then move them back: AWS console, SQS, "Start DLQ redrive".',
      runbook: "events-are-in-the-dead-letter-queue",
    },
  ];
}

function gapProblems({ feedback }: SendingState): Problem[] {
  const runbook = "feedback-is-missing";
  switch (feedback.gap) {
    case null:
      return [];
    case "no-reports":
      return [
        {
          what: "SES reports no events for submitted mail, so deliveries, bounces and complaints are not recorded.",
          advice: "`postern aws doctor` checks the topic, the queue and the configuration set.",
          runbook,
        },
      ];
    case "not-polled": {
      const what = `Workers last polled the feedback queue ${durationText(feedback.polledSecondsAgo ?? 0)} ago.`;
      return [{ what, advice: "Check that a worker is running, and its log for `feedback.receive-failed`.", runbook }];
    }
  }
}
