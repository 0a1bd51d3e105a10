export interface Topic {
  arn: string;
  name: string;
  attributes: Record<string, string>;
}

export interface Subscription {
  arn: string;
  topicArn: string;
  protocol: "http" | "https" | "sqs";
  endpoint: string;
  isConfirmed: boolean;
  /** The endpoint's owner confirms the subscription with this token. It is valid for two days. */
  token: string;
  tokenIssuedAt: number;
  authenticateOnUnsubscribe: boolean;
  attributes: Record<string, string>;
}

export function isRaw(subscription: Subscription): boolean {
  return subscription.attributes.RawMessageDelivery === "true";
}
