/**
 * The inputs of the model. Prices are list prices of us-east-1 without free tiers, discounts and taxes, taken on 2026-11-15
 * from secondary sources that quote Amazon's pages and price list. Prices change; Amazon's own pages are authoritative.
 */

/** The size of a cell. PostgreSQL sets it: it is the only part of a cell that another process cannot double. */
export const sendsPerSecondOfACell = 2_000;

/** Maximum average utilization of a core. */
export const busyShare = 0.6;

/** Two of each process, as in deploy/README.md: mail continues while one of them restarts. */
export const leastProcesses = 2;
/** DATABASE_POOL_SIZE plus the other connections of the process. */
export const connectionsOf = { api: 18, worker: 21 };
/** DELIVERY_SLOTS of a worker, and the duration of an SES call: an assumption, not measured with real SES. */
export const slots = 100;
export const secondsInSes = 0.1;
/** The worker sends at this share of SES's MaxSendRate. */
export const shareOfSendRate = 0.9;

/** Send and Delivery. A bounce instead of the delivery does not change the number. */
export const eventsOfASend = 2;
/** A worker receives and deletes up to this many messages per request; a quiet queue returns them one by one. */
export const messagesInABatch = 10;

/** CONTENT_RETENTION_DAYS, plus at most a week until the worker drops the partition. */
export const contentDays = 37;
/** The recommended maximum for one PostgreSQL: restoring 10 TB at 300 MB per second takes nine hours. */
export const maxTerabytes = 10;

/** https://aws.amazon.com/ses/pricing: per outbound recipient, for accounts without a plan. */
export const sesDollarsPerThousand = 0.1;
/** The plan Essentials by emails per month. It is the default for new AWS accounts since 2026-07-21. */
export const sesEssentials = [
  { above: 0, dollarsPerThousand: 0.16 },
  { above: 10_000_000, dollarsPerThousand: 0.14 },
  { above: 100_000_000, dollarsPerThousand: 0.11 },
];
/** https://aws.amazon.com/sns/pricing: per published message; delivery to SQS is free. */
export const snsDollarsPerMillion = 0.5;
/** https://aws.amazon.com/sqs/pricing: per request of up to 64 KB in a standard queue. */
export const sqsDollarsPerMillion = 0.4;
