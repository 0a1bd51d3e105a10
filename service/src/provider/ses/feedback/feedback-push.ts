import type { FeedbackPush, PushReading } from "../../feedback.ts";
import { confirmSubscription, topicCalls } from "../setup/topic-calls.ts";
import { type CertificateCache, createCertificateCache, type FetchCertificate } from "./certificate-cache.ts";
import { fetchCertificate } from "./fetch-certificate.ts";
import { isPushHead } from "./push-headers.ts";
import { readEvent } from "./read-event.ts";
import { checkSignature, type SnsMessage } from "./sns-signature.ts";

export interface FeedbackPushOptions {
  region: string;
  /** The SNS endpoint. */
  endpoint: string | undefined;
  topicArns: readonly string[];
  /** The simulator's address; undefined with real SES. */
  certificateOrigin?: string | undefined;
  /** Only tests set `fetch` and `now`. */
  fetch?: FetchCertificate;
  now?: () => number;
}

export function createFeedbackPush(options: FeedbackPushOptions): FeedbackPush {
  const { region, endpoint, topicArns, certificateOrigin, now = Date.now } = options;
  const certificates: CertificateCache = createCertificateCache(options.fetch ?? ((url) => fetchCertificate(url)), now);
  const topics = topicCalls(region, endpoint);
  return {
    mayRead: (headers) => isPushHead(headers, topicArns),
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
    // Confirms by an API call to SNS, because an attacker may have written the link in the message.
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
      // Its token could subscribe again; the operator decides whether to do that.
      return { kind: "unsubscribed", topicArn };
  }
}
