export const eventTypes = [
  "SEND",
  "REJECT",
  "BOUNCE",
  "COMPLAINT",
  "DELIVERY",
  "OPEN",
  "CLICK",
  "RENDERING_FAILURE",
  "DELIVERY_DELAY",
  "SUBSCRIPTION",
] as const;

export type MatchingEventType = (typeof eventTypes)[number];

export const suppressionReasons = ["BOUNCE", "COMPLAINT"] as const;

export type SuppressionReason = (typeof suppressionReasons)[number];

export interface EventDestination {
  name: string;
  enabled: boolean;
  matchingEventTypes: MatchingEventType[];
  topicArn: string;
}

export interface ConfigurationSet {
  name: string;
  sendingEnabled: boolean;
  /** If absent, the account's reasons apply. An empty list disables suppression for this set. */
  suppressedReasons?: SuppressionReason[];
  destinations: EventDestination[];
  /** Options without effect, stored so that they can be read back. */
  other: Record<string, unknown>;
}
