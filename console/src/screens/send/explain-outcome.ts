import type { SendRecord } from "../../api/api-types.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import type { RecipientOutcome } from "./outcome.ts";

export interface Explanation {
  meaning: string;
  nextStep: string | undefined;
}

type Failure = Pick<SendRecord, "error_code" | "error_message">;

/** What the state means for this recipient and what to do, in words for a person who does not know SMTP. */
export function explainOutcome(outcome: RecipientOutcome, failure: Failure): Explanation {
  switch (outcome.state) {
    case "queued":
      return { meaning: "Postern has not submitted the mail to SES yet.", nextStep: "Wait. A worker submits it." };
    case "processing":
      return { meaning: "A worker is submitting the mail to SES.", nextStep: undefined };
    case "in-doubt":
      return {
        meaning:
          "Postern submitted the mail, but the answer of SES was lost. It is not known whether SES accepted it. Postern waits for a report.",
        nextStep: "Wait. Send it again only if a second copy does no harm.",
      };
    case "sent":
      return {
        meaning: "SES accepted the mail. The receiving server has not answered yet, as far as SES has reported.",
        nextStep: "Wait. SES retries by itself.",
      };
    case "delivered":
      return {
        meaning: "The receiving server accepted the mail. Whether it is in the inbox is not known.",
        nextStep: "If the recipient does not find it, ask them to look in the spam folder.",
      };
    case "delayed":
      return explainDelay(outcome);
    case "bounced":
      return explainBounce(outcome);
    case "complained":
      return explainComplaint(outcome);
    case "suppressed":
      return explainSuppression(outcome);
    case "failed":
      return explainFailure(failure);
  }
}

/** The delay types of SES. */
const delayMeanings: Record<string, string> = {
  MailboxFull: "The mailbox is full.",
  SpamDetected: "The receiving server found many unwanted mails from this network and accepts none for now.",
  RecipientServerError: "The receiving server has a fault.",
  IPFailure: "The receiving server blocks or limits the network that SES sends from.",
  TransientCommunicationFailure: "The connection to the receiving server failed.",
  BYOIPHostNameLookupUnavailable: "The host name of the sending address could not be looked up.",
  SendingDeferral: "SES delays the mail by itself, because the receiving server accepts no more for now.",
  InternalFailure: "SES has a fault of its own.",
};

function explainDelay({ delay }: RecipientOutcome): Explanation {
  const cause = delayMeanings[delay?.type ?? ""] ?? "The receiving server did not accept the mail yet.";
  const until = delay?.retriedUntil;
  const retry =
    until === undefined
      ? "SES keeps the mail and retries."
      : `SES keeps the mail and retries; it gives up on ${formatDateTime(Date.parse(until))}.`;
  const isFull = delay?.type === "MailboxFull";
  return {
    meaning: `${cause} ${retry}`,
    nextStep: isFull
      ? "Wait. If the mail is urgent, ask the recipient to make room."
      : "Wait. If the mail is urgent, use another way to reach the recipient.",
  };
}

function explainBounce({ bounce, deliveredAt }: RecipientOutcome): Explanation {
  const { meaning = "The receiving server did not accept the mail.", next_step } = bounce?.explanation ?? {};
  const late = deliveredAt === undefined ? "" : " The server had accepted the mail first and returned it later.";
  const usual =
    bounce?.isPermanent === true ? "Check the address before you lift its suppression." : "Send the mail again later.";
  return { meaning: meaning + late, nextStep: next_step ?? usual };
}

function explainComplaint({ complaintType }: RecipientOutcome): Explanation {
  if (complaintType === "not-spam") {
    return { meaning: "The recipient moved the mail out of the spam folder.", nextStep: undefined };
  }
  return {
    meaning:
      "The recipient reported the mail as spam. Postern suppressed the address, so later mail to it is not sent.",
    nextStep: "Do not write to this address again, unless the recipient asks you to.",
  };
}

function explainSuppression({ suppression }: RecipientOutcome): Explanation {
  const causes = {
    hard_bounce: "after a permanent bounce",
    complaint: "after a complaint",
    manual: "because somebody added or imported it",
  };
  const cause = suppression?.reason === undefined ? "" : ` ${causes[suppression.reason]}`;
  const since = suppression?.since === undefined ? "" : ` since ${formatDateTime(Date.parse(suppression.since))}`;
  return {
    meaning: `The address was on the suppression list${since}${cause}. Postern did not send the mail to it.`,
    nextStep: nextStepAfter(suppression?.reason),
  };
}

function nextStepAfter(reason: NonNullable<RecipientOutcome["suppression"]>["reason"] | undefined): string {
  switch (reason) {
    case "complaint":
      return "Lift the suppression only if the recipient asks you to.";
    case "manual":
      return "Find out why it was added before you lift the suppression.";
    default:
      return "Check the address. If it is right, lift the suppression and send the mail again.";
  }
}

/** Every `error_code` of the API. A code of a newer API gets the last text. */
const failures: Record<string, { meaning: string; nextStep: string }> = {
  PROVIDER_REJECTED: { meaning: "SES refused the mail.", nextStep: "Fix the cause, then send the mail again." },
  PROVIDER_UNAVAILABLE: {
    meaning: "SES was unavailable until Postern stopped retrying.",
    nextStep: "Send the mail again.",
  },
  PROVIDER_OUTCOME_UNKNOWN: {
    meaning: "SES did not report whether it accepted the mail. The mail may have arrived.",
    nextStep: "Send it again only if a second copy does no harm. A later report of SES corrects this page.",
  },
  DOMAIN_NOT_VERIFIED: {
    meaning: "The domain of the sender was removed, or it was not verified until Postern stopped retrying.",
    nextStep: "Verify the domain, then send the mail again.",
  },
  MESSAGE_TOO_LARGE: { meaning: "SES refused the mail because of its size.", nextStep: "Send a smaller mail." },
  CANCELLED: {
    meaning: "The mail was cancelled while it was queued.",
    nextStep: "Send it again if it is still wanted.",
  },
  EXPIRED: {
    meaning: "The mail expired before Postern could submit it to SES.",
    nextStep: "Send it again with a later expiry if it is still wanted.",
  },
  INTERNAL: {
    meaning: "Postern could not build or decrypt the mail.",
    nextStep: "Report the id of this send to the operator of this installation.",
  },
};

export function explainFailure({ error_code, error_message }: Failure): Explanation {
  const known = failures[error_code ?? ""] ?? { meaning: "The mail was not sent.", nextStep: "Send it again." };
  const reason = error_message === null || error_message === "" ? "" : ` ${error_message}`;
  return { meaning: `${known.meaning}${reason}`, nextStep: known.nextStep };
}
