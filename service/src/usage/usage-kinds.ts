/** What a usage delta counts. A delivery with a known duration has the kind `firstDeliveryTime` plus its bucket, from 0. */
export const usageKinds = {
  accepted: 0,
  delivered: 1,
  bouncedHard: 2,
  bouncedSoft: 3,
  complained: 4,
  suppressed: 5,
  failed: 6,
  delayed: 7,
} as const;

export const firstDeliveryTime = 16;

/** The longest time of each bucket, in milliseconds, from half a second to two hours and a quarter; the last bucket has no bound. */
export const deliveryTimeBoundsMs = Array.from({ length: 15 }, (_, power) => 500 * 2 ** power);

export const deliveryTimeBuckets = deliveryTimeBoundsMs.length + 1;

/** SQL: the kind of a delivery that took this many milliseconds; null when that is unknown. */
export function kindOfDelivery(durationMs: string): string {
  const bucket = `width_bucket(${durationMs} - 1, '{${deliveryTimeBoundsMs.join(",")}}'::integer[])`;
  return `coalesce(${firstDeliveryTime} + ${bucket}, ${usageKinds.delivered})::smallint`;
}

/** SQL: the domain of the sender of the send `alias`. */
export function sendingDomain(alias: string): string {
  return `coalesce(${alias}.from_domain, written_domain(${alias}.from_address))`;
}

/** SQL: the recipients of the send `alias` that count as failed when it fails: those that were not suppressed on acceptance. */
export function failedRecipients(alias: string): string {
  return `(cardinality(${alias}.to_addresses) - coalesce(cardinality(${alias}.suppressed_recipients), 0))`;
}
