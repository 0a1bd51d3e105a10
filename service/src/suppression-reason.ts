/** Why an account does not send to an address. From the strongest to the weakest: a known entry only ever gets a stronger reason. */
export const suppressionReasons = ["complaint", "hard_bounce", "manual"] as const;

export type SuppressionReason = (typeof suppressionReasons)[number];

/** SQL: orders reasons, the strongest first. */
export function strengthOf(reason: string): string {
  return `array_position('{${suppressionReasons.join(",")}}'::text[], ${reason})`;
}

/** SQL: the reason `one` is stronger than the reason `other`. */
export function isStronger(one: string, other: string): string {
  return `${strengthOf(one)} < ${strengthOf(other)}`;
}
