/**
 * What the model takes as given. Prices are list prices of us-east-1 without free tiers, discounts and taxes, as others had
 * them from Amazon's pages and its price list on 2026-11-15 or shortly before; they change, and Amazon's own page counts.
 */

/** What a cell is sized for: the one thing in it that cannot be doubled by starting another is its PostgreSQL. */
export const sendsPerSecondOfACell = 2_000;

/** How busy a core may be in the mean. */
export const busyShare = 0.6;

/** deploy/README.md: nobody wants to be without mail while one process restarts. */
export const leastProcesses = 2;
/** DATABASE_POOL_SIZE and what a process has besides. */
export const connectionsOf = { api: 16, worker: 20 };
/** DELIVERY_SLOTS of a worker, and how long SES keeps one of them: assumed, we have not met SES yet. */
export const slots = 100;
export const secondsInSes = 0.1;
/** Postern goes as fast as this share of SES's MaxSendRate. */
export const shareOfSendRate = 0.9;

/** Send and Delivery; a bounce or complaint instead of the latter makes no difference. */
export const eventsOfASend = 2;
/** A worker receives and deletes up to so many at once; of a quiet queue it gets them one by one. */
export const messagesInABatch = 10;

/** CONTENT_RETENTION_DAYS, and a week at most until the partition goes. */
export const contentDays = 37;
/** Our opinion of what one PostgreSQL should hold: read back at 300 MB a second from a backup it takes nine hours. */
export const sensibleTerabytes = 10;

/** https://aws.amazon.com/ses/pricing: outbound recipients, for accounts without a plan. */
export const sesDollarsPerThousand = 0.1;
/** The plan Essentials, which new AWS accounts have since 2026-07-21 unless they choose another; by emails of a month. */
export const sesEssentials = [
  { above: 0, dollarsPerThousand: 0.16 },
  { above: 10_000_000, dollarsPerThousand: 0.14 },
  { above: 100_000_000, dollarsPerThousand: 0.11 },
];
/** https://aws.amazon.com/sns/pricing: a publication; handing it to SQS costs nothing. */
export const snsDollarsPerMillion = 0.5;
/** https://aws.amazon.com/sqs/pricing: a request of up to 64 KB in a standard queue. */
export const sqsDollarsPerMillion = 0.4;
