import type { FeedbackPush, PushReading } from "../../feedback.ts";
import { confirmSubscription, topicCalls } from "../setup/topic-calls.ts";
import { type CertificateCache, createCertificateCache, type FetchCertificate } from "./certificate-cache.ts";
import { fetchCertificate } from "./fetch-certificate.ts";
import { readEvent } from "./read-event.ts";
import { checkSignature, type SnsMessage } from "./sns-signature.ts";

export interface FeedbackPushOptions {
  region: string;
  /** Of SNS. */
  endpoint: string | undefined;
  topicArns: readonly string[];
  /** The simulator's own address; never set with real SES. */
  certificateOrigin?: string | undefined;
  /** Others are for tests. */
  fetch?: FetchCertificate;
  now?: () => number;
}

export function createFeedbackPush(options: FeedbackPushOptions): FeedbackPush {
  const { region, endpoint, topicArns, certificateOrigin, now = Date.now } = options;
  const certificates: CertificateCache = createCertificateCache(options.fetch ?? ((url) => fetchCertificate(url)), now);
  const topics = topicCalls(region, endpoint);
  return {
    async read(body) {
      const check = await checkSignature({ topicArns, certificateOrigin, certificates, now }, body);
      switch (check.kind) {
        case "genuine":
          return readingOf(check.message);
        case "forged":
          return { kind: "refused", reason: check.reason };
        case "cannot-check":
          return check;
      }
    },
    // By a call to SNS: the link in the message is an address that somebody else chose.
    confirm: ({ topicArn, token }) => confirmSubscription(topics, topicArn, token),
  };
}

function readingOf({ type, messageId, topicArn, message, token }: SnsMessage): PushReading {
  switch (type) {
    case "Notification":
      return { kind: "notification", messageId, feedback: readEvent(message) };
    case "SubscriptionConfirmation":
      return { kind: "confirmation", topicArn, token };
    case "UnsubscribeConfirmation":
      // Its token would subscribe again; whether that is wanted is for people to decide.
      return { kind: "unsubscribed", topicArn };
  }
}
