import { createFeedbackPush, type FeedbackPushOptions } from "../src/provider/ses/feedback/feedback-push.ts";
import type { SnsSigner } from "./sns-signer.ts";

export const region = "eu-west-1";
export const topicArn = `arn:aws:sns:${region}:123456789012:postern-AA`;
export const origin = `https://sns.${region}.amazonaws.com`;

/** A feedback push source that finds only the certificates of `signers` and records which addresses it fetches. */
export function aFeedbackPush(signers: SnsSigner[], changes: Partial<FeedbackPushOptions> = {}) {
  const fetched: string[] = [];
  const push = createFeedbackPush({
    region,
    endpoint: undefined,
    topicArns: [topicArn],
    fetch: async (url) => {
      fetched.push(url);
      const signer = signers.find(({ path }) => url === `${origin}${path}`);
      if (signer === undefined) throw new Error("the server answered 404");
      return signer.certificate;
    },
    ...changes,
  });
  return { fetched, read: (fields: object) => push.read(JSON.stringify(fields)) };
}
